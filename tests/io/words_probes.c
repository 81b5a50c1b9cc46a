// Minimal scenes for every word and every key of the scene format that says what happens.
#include "tests/io/words_probes.h"

// Two bodies on joints, one after the other, one that is free, one on a joint by itself, and a block of eight nodes
// of which four are held.
const char words_base[] =
    "{'mbsim':1,'gravity':[1,2,-9],'time':{'step':0.01,'steps':10},'materials':{'oak':{'density':700}},"
    "'bodies':["
    "{'name':'a','shape':{'type':'box','size':[0.2,0.3,0.4]},'mass':2,"
    "'joint':{'type':'revolute','axis':[1,2,3],'velocity':1}},"
    "{'name':'b','shape':{'type':'box','size':[0.2,0.3,0.4]},'mass':1,'joint':{'type':'revolute','parent':'a'"
    ","
    "'axis':[1,0,0],'in_parent':{'position':[0,0,-0.5]},'in_body':{'position':[0,0.1,0.4]},'velocity':0.5}},"
    "{'name':'c','shape':{'type':'ellipsoid','radii':[0.3,0.4,0.5]},'mass':1,'damping':0.5,'pose':{'position'"
    ":[2,0,0]},"
    "'velocity':{'angular':[1,2,3],'linear':[-1,1,0.5]}},"
    "{'name':'d','shape':{'type':'box','size':[0.3,0.2,0.4]},'mass':1,"
    "'joint':{'type':'revolute','axis':[0,1,0],'in_parent':{'position':[0,2,0]},'in_body':{'position':[0.1,0,"
    "0.2]}}}"
    "],"
    "'deformables':[{'name':'soft','type':'tets','mesh':{'box':[2,2,2],'size':[1,1,1]},"
    "'pose':{'position':[0,5,0]},'velocity':{'linear':[0,0.5,1]},'material':{'young':1000,'density':100},"
    "'pin':[{'select':{'side':'-x'}}]}],"
    "'output':{'channels':['body.position','body.rotation','body.velocity','deformable.*.position',"
    "'deformable.*.velocity']}}";

// ---- probes -------------------------------------------------------------------------------------------------

#define CURVE ",'frames':[{'position':[-1,0,0]},{},{'position':[1,0,0]},{'position':[2,0.5,0.5]}]"
#define FLAT  "[[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]]"
#define CONTROL(height_)                                                                                     \
  ",'control':[[[-1,-1,-1,-1],[0,0,0,0],[1,1,1,1],[2,2,2,2]],[[-1,0,1,2],[-1,0,1,2],[-1,0,1,2],[-1,0,1,2]]," \
  "[[0,0,0,0],[0,0,0,1],[0,0,0,0],[0,0," height_ ",0]]," FLAT "," FLAT "," FLAT "]"
#define SURFACE CONTROL("1")
#define BENT    CONTROL("3")

// Keys that a kind of joint needs.
const Needed words_needed[] = {
    {"screw", ",'pitch':0.3"},
    {"euler", ",'order':'xyz'"},
    {"composite", ",'joints':[{'type':'revolute'},{'type':'prismatic','axis':[1,0,0]}]"},
    {"spline_curve", CURVE},
    {"spline_surface", SURFACE},
    {NULL, ""},
};

#define A           "{'body':'a','at':[1,0,0]}"
#define C           "{'body':'c','at':[-1,0,0]}"
#define NODE        "{'node':'soft','index':7}" // at [1, 6, 1]
#define OTHER_NODE  "{'node':'soft','index':1}" // at [1, 5, 0]
#define WORLD       "{'body':'world','at':[1,6.5,2]}"
#define FORCE(text) "/forces=[{" text "}]"
#define OF_FORCE    "/forces/0"
#define WRENCH      FORCE("'type':'wrench','body':'c','force':[3,-1,2],'torque':[0.3,0.2,0.1]")
#define AT_POINT    FORCE("'type':'point_force','body':'c','at':[0.3,0.2,0.1],'force':[3,-1,2]")
#define SPRING(p_, q_)                                                                                       \
  FORCE("'type':'spring','stiffness':20,'damping':0.2,'length':1.5,'between':[" p_ "," q_ "]")
#define FRAME_SPRING                                                                                         \
  FORCE("'type':'frame_spring','stiffness':[20,3],'damping':[0.3,0.2],'between':[{'body':'a','frame':"       \
        "{'position':[0.5,0,0]}},{'body':'c','frame':{'position':[-0.5,0,0]}}]")
#define MULTI_SPRING(p_, q_, r_)                                                                             \
  FORCE("'type':'multi_spring','stiffness':20,'damping':0.2,'length':1,'path':[" p_ "," q_ "," r_ "]")
#define MUSCLE(p_, q_, length_)                                                                              \
  FORCE("'type':'muscle','max_force':100,'optimal_length':" length_ ",'tendon_length':0.1,'max_velocity':5," \
        "'activation':0.5,'path':[" p_ "," q_ "]")
#define FAR_A "{'body':'a','at':[0,0.1,0.1]}"
#define FAR_C "{'body':'c','at':[0.1,0.2,0]}"
#define FAR_D "{'body':'d','at':[0.1,0,0]}"

#define TOUCH                                                                                                \
  "/deformables=[] | /bodies/2={'name':'c','shape':{'type':'box','size':[0.2,0.3,0.4]},'mass':1,"            \
  "'pose':{'position':[2,0,-2.798]},'velocity':{'linear':[1,0.3,-1]}} | "                                    \
  "/bodies/3={'name':'ground','shape':{'type':'plane','offset':-3},'joint':{'type':'fixed'}} | /contact={}"
// a soft block that comes down onto the ground and slides
#define SOFT_TOUCH                                                                                           \
  "/deformables=[{'name':'jelly','type':'tets','mesh':{'box':[2,2,2],'size':[0.1,0.1,0.1]},"                 \
  "'pose':{'position':[0,0,-2.999]},'velocity':{'linear':[1,0,-1]},"                                         \
  "'material':{'young':1e4,'density':1000}}] | "                                                             \
  "/bodies/3={'name':'ground','shape':{'type':'plane','offset':-3},'joint':{'type':'fixed'}} | /contact={}"
// a node that falls onto another one, from a hair above it
#define SELF_TOUCH                                                                                           \
  "/deformables=[{'name':'string','type':'springs','mesh':{'rope':2,'length':0.1},'pose':{'position':[9,9,"  \
  "9],'rotation':"                                                                                           \
  "{'axis':[0,1,0],'angle':'=-90*deg'}},'pin':[{'select':{'vertices':[0]}}],"                                \
  "'material':{'stiffness':1,'mass':0.1},'contact':{'thickness':0.0999}}] | /contact={}"
#define PAIR "/contact/pairs=[{'bodies':['c','ground'],'friction':0.9}]"

#define CONSTRAINT(text) "/constraints=[{" text "}]"
#define OF_CONSTRAINT    "/constraints/0"
#define POINTS(p_, q_)   "'between':[" p_ "," q_ "]"
#define CLOSURE(joint_)                                                                                      \
  CONSTRAINT("'type':'joint','joint':" joint_ ",'between':[{'body':'a','frame':{'position':[1,0,0]}},"       \
             "{'body':'c','frame':{'position':[-1,0,0]}}]")
#define OPEN_LOOP CONSTRAINT("'type':'point'," POINTS(A, "{'body':'c','at':[-1,0,0.01]}"))
// A constraint of a kind, hard, soft, and damped.
#define KIND(word_, setup_)                                                                                  \
  {"constraint." word_, "", setup_, DIFFERS},                                                                \
      {"constraint.compliance", setup_, OF_CONSTRAINT "/compliance=0.01", DIFFERS}, {                        \
    "constraint.damping", setup_ " | " OF_CONSTRAINT "/compliance=0.01", OF_CONSTRAINT "/damping=0.1",       \
        DIFFERS                                                                                              \
  }
// One that asks for velocities, and is soft by what damps it.
#define KIND_OF_RATES(word_, setup_)                                                                         \
  {"constraint." word_, "", setup_, DIFFERS},                                                                \
      {"constraint.compliance", setup_, OF_CONSTRAINT "/compliance=0.01 | " OF_CONSTRAINT "/damping=0.1",    \
       DIFFERS},                                                                                             \
  {                                                                                                          \
    "constraint.damping", setup_ " | " OF_CONSTRAINT "/compliance=0.01 | " OF_CONSTRAINT "/damping=0.1",     \
        OF_CONSTRAINT "/damping=0.2", DIFFERS                                                                \
  }
#define RATIO CONSTRAINT("'type':'ratio','joints':['a','d'],'ratio':2")
#define VELOCITY_RATIO                                                                                       \
  CONSTRAINT("'type':'velocity_ratio','bodies':['a','c'],'axes':[[1,2,3],[0,0,1]],'ratio':2")
#define ROLLING CONSTRAINT("'type':'rolling','body':'c','at':[0,0,-0.5]")

#define OF_A        "/bodies/0/joint"
#define OF_C        "/bodies/2"
#define JOINT       OF_A "={'type':'*','in_parent':{'position':[0,0.1,0]}@}"
#define NO_JOINT    "/bodies/0={'name':'a','shape':{'type':'box','size':[0.2,0.3,0.4]},'mass':2}"
#define STOPS       OF_A "/limits=[-0.001,0.001] | " OF_A "/stops={'stiffness':1000}"
#define MOTOR       OF_A "/motor={'target':1,'stiffness':50,'damping':2}"
#define OF_SOFT     "/deformables/0"
#define MATERIAL    OF_SOFT "/material"
#define BARE        "/bodies=[]" // so that what differs is a node
#define TABLE(text) "{'times':[0,0.02,0.05,0.09],'values':[0,1,0.5,2]" text "}"
#define FROM_SPRINGS(law)                                                                                    \
  OF_SOFT "={'name':'soft','type':'springs','mesh':{'grid':[3,3],'size':[1,1]},'material':{'mass':5,"        \
          "'stiffness':10,'damping':0.02" law                                                                \
          "},'velocity':{'linear':[0,0.5,1]},'pin':[{'select':{'side':'-x'}}]}"
#define SPRINGS FROM_SPRINGS("")
#define PARTICLES                                                                                            \
  OF_SOFT "={'name':'soft','type':'particles','mesh':{'grid':[3,3],'size':[1,1]},'material':{'mass':5},"     \
          "'velocity':{'linear':[0,0.5,1]},'pin':[{'select':{'side':'-x'}}]}"
#define CLOTH                                                                                                \
  OF_SOFT "={'name':'soft','type':'cloth','mesh':{'grid':[3,3],'size':[1,1]},"                               \
          "'material':{'young':1000,'density':100,'thickness':0.05,'bending':{'model':'isometric'}},"        \
          "'velocity':{'linear':[0,0.5,1]},'pin':[{'select':{'side':'-x'}}]}"
#define ROPE                                                                                                 \
  OF_SOFT "={'name':'soft','type':'springs','mesh':{'rope':4,'length':1},'material':{'mass':5,"              \
          "'stiffness':300},'pin':[{'select':{'vertices':[0]}}]}"
#define ROD                                                                                                  \
  OF_SOFT "={'name':'soft','type':'rod','mesh':{'rope':4,'length':1},'material':{'radius':0.05,"             \
          "'young':10000,'density':1000},'pin':[{'select':{'clamp':'first'}}]} | /gravity=[0.01,0.02,-0.3]"
#define CURVED ROD " | " OF_SOFT "/mesh={'points':[[0,0,0],[0.3,0,0],[0.5,0.1,0.1],[0.8,0.1,0]]}"
#define COIL   ROD " | " OF_SOFT "/mesh={'helix':{'nodes':9,'radius':0.3,'pitch':0.1,'turns':1}}"
#define BALL                                                                                                 \
  OF_SOFT "={'name':'soft','type':'tets','mesh':{'ball':2,'radius':0.5},'material':{'young':1000,"           \
          "'density':100},'pin':[{'select':{'side':'-x'}}]}"
#define BUBBLE                                                                                               \
  OF_SOFT "={'name':'soft','type':'cloth','mesh':{'ball':2,'radius':0.5},'material':{'young':1000,"          \
          "'density':100,'thickness':0.05},'pin':[{'select':{'vertices':[0]}}]}"
#define HOLLOW OF_SOFT "/mesh={'file':'scenes/bad/hollow.msh'} | " OF_SOFT "/pin=[]"
#define BLOWN  CLOTH " | " OF_SOFT "/wind={'velocity':[20,1,2],'lift':0.3}"
#define FIBROUS                                                                                              \
  MATERIAL "/fibres=[{'direction':[2,1,0],'stiffness':3000,'limit':0,'beyond':1000,'strength':20,"           \
           "'activation':0.5}]"
#define CARRIED                                                                                              \
  OF_SOFT "/pose/position=[2,0,0] | " OF_SOFT "/pin=[] | " OF_SOFT                                           \
          "/attach=[{'select':{'side':'-x'},'body':'c'}]"

#define SOLID(keys_)                                                                                         \
  OF_C "={'name':'c','damping':0.5,'velocity':{'angular':[1,2,3],'linear':[-1,1,0.5]}," keys_ "}"
#define SHAPE(keys_)  SOLID("'density':2,'shape':{" keys_ "}")
#define INERTIA       SOLID("'inertia':{'mass':1,'matrix':[0.1,0.2,0.25,0,0,0]}") " | " WRENCH
#define DRIVEN(keys_) SOLID("'mass':1,'shape':{'type':'sphere','radius':0.3},'motion':{" keys_ "}")
#define PLANE(keys_)                                                                                         \
  "/bodies/3={'name':'d','shape':{'type':'plane'" keys_ "},'joint':{'type':'fixed'}} | "                     \
  "/constraints=[{'type':'rolling','body':'c','on':'d'}]"
#define PINNED(keys_)  OF_SOFT "/pin=[{'select':{'side':'-x'}" keys_ "}]"
#define CABLE(keys_)   OF_SOFT "/cables=[{'path':[{'vertices':[1]},{'vertices':[7]}]" keys_ "}]"
#define FOLLOWS(keys_) OF_SOFT "/attach=[{'select':{'vertices':[7]},'to':{'vertices':[1,3]" keys_ "}}]"

// What a joint has, wherever it stands.
#define JOINT_WORDS(object_, setup_, joint_)                                                                 \
  {object_ ".*", setup_, joint_("'type':'*'@"), DIFFERS},                                                    \
      {object_ ".revolute.axis", joint_("'type':'revolute'"), joint_("'type':'revolute','axis':[1,2,-1]"),   \
       DIFFERS},                                                                                             \
      {object_ ".prismatic.axis", joint_("'type':'prismatic'"),                                              \
       joint_("'type':'prismatic','axis':[1,2,-1]"), DIFFERS},                                               \
      {object_ ".cylindrical.axis", joint_("'type':'cylindrical'"),                                          \
       joint_("'type':'cylindrical','axis':[1,2,-1]"), DIFFERS},                                             \
      {object_ ".screw.axis", joint_("'type':'screw','pitch':0.3"),                                          \
       joint_("'type':'screw','pitch':0.3,'axis':[1,2,-1]"), DIFFERS},                                       \
      {object_ ".screw.pitch", joint_("'type':'screw','pitch':0.3"), joint_("'type':'screw','pitch':-0.5"),  \
       DIFFERS},                                                                                             \
  {                                                                                                          \
    object_ ".spline_surface.control", joint_("'type':'spline_surface'" SURFACE),                            \
        joint_("'type':'spline_surface'" BENT), DIFFERS                                                      \
  }
#define AS_JOINT(keys_) OF_A "={" keys_ ",'in_parent':{'position':[0,0.1,0]}}"
#define AS_PART(keys_)  OF_A "={'type':'composite','joints':[{'type':'fixed'},{" keys_ "}]}"
#define AS_LOOP(keys_)  CLOSURE("{" keys_ "}")
// What drives any kind of joint.
#define PER_JOINT(key_, value_)                                                                              \
  { "joint.*", JOINT, OF_A "/" key_ "=" value_, DIFFERS }

#define MESH     "scenes/free/angle.obj"
#define ELEMENTS "scenes/bad/one.msh"
#define PULLED   "scenes/bad/pulled.msh"
#define CRACKED  "scenes/bad/cracked.msh"

const Probe words_probes[] = {
    // ---- the scene, solvers, integrators
    {"scene.gravity", "", "/gravity=[0,0,-5]", DIFFERS},
    {"scene.gravity", BARE, "/gravity=[0,0,-5]", DIFFERS},
    {"time.step", "", "/time/step=0.009", DIFFERS},
    {"solver.device=*", "", "/solver/device='*'", SAME},
    {"solver.threads", "", "/solver/threads=2", SAME},
    {"solver.redmax.dynamics=*", "", "/solver/dynamics='*'", SAME},
    {"solver.maximal.linear=*", "", "/solver/linear='*'", SAME},
    {"solver.maximal.project", "", "/solver/project=true", DIFFERS},
    {"solver.maximal.mode=*", "", "/solver/mode='*'", DIFFERS},
    {"solver.maximal.velocity_terms=*", "", "/solver/velocity_terms='*'", DIFFERS},
    {"solver.projective.bodies=*", "", "/solver/bodies='*'", DIFFERS},
    {"solver.projective.iterations", "", "/solver/iterations=2", DIFFERS},
    {"solver.projective.global=*", "", "/solver/global='*'", SAME},
    {"solver.projective.tolerance", "/solver/iterations=90", "/solver/tolerance=0.01", DIFFERS},
    {"solver.projective.energy_tolerance", "/solver/iterations=90", "/solver/energy_tolerance=0.1", DIFFERS},
    {"solver.projective.precision=*", "", "/solver/precision='*'", SAME},
    {"solver.projective.method=*", "", "/solver/method='*'", EITHER},
    {"stabilization.*", OPEN_LOOP, "/solver/stabilization='*'", DIFFERS},
    {"stabilization.baumgarte.gamma", OPEN_LOOP, "/solver/stabilization={'gamma':5}", DIFFERS},
    {"stabilization.baumgarte.upper_limits=*", OF_A "/limits=[-1,-0.2] | /solver/stabilization={'gamma':20}",
     "/solver/stabilization/upper_limits='*'", DIFFERS},
    {"integrator.rk45.relative", "", "/integrator/relative=1e-12", DIFFERS},
    {"integrator.rk45.absolute", "/integrator/relative=1e-9", "/integrator/absolute=1e-2", DIFFERS},
    {"integrator.static.load_steps", "", "/integrator/load_steps=3", EITHER},
    {"integrator.static.tolerance", "", "/integrator/tolerance=1e-4", EITHER},

    // ---- bodies and shapes
    {"body.density", SHAPE("'type':'sphere','radius':0.3"), OF_C "/density=20", DIFFERS},
    {"body.material", SHAPE("'type':'sphere','radius':0.3"),
     SOLID("'material':'oak','shape':{'type':'sphere','radius':0.3}"), DIFFERS},
    {"material.density", SOLID("'material':'oak','shape':{'type':'sphere','radius':0.3}"),
     "/materials/oak/density=7", DIFFERS},
    {"material.color", SOLID("'material':'oak','shape':{'type':'sphere','radius':0.3}"),
     "/materials/oak/color=[0.6,0.4,0.2]", SAME},
    {"body.color", "", OF_C "/color=[0.6,0.4,0.2]", SAME},
    {"body.mass", "", OF_C "/mass=3", DIFFERS},
    {"body.damping", "", OF_C "/damping=1.5", DIFFERS},
    {"shape.density", SHAPE("'type':'sphere','radius':0.3"), OF_C "/shape/density=20", DIFFERS},
    {"shape.material", SHAPE("'type':'sphere','radius':0.3"), OF_C "/shape/material='oak'", DIFFERS},
    {"shape.color", "", OF_C "/shape/color=[0.6,0.4,0.2,0.5]", SAME},
    {"shape.box", "", SHAPE("'type':'box','size':[0.3,0.4,0.5]"), DIFFERS},
    {"shape.sphere", "", SHAPE("'type':'sphere','radius':0.3"), DIFFERS},
    {"shape.capsule", "", SHAPE("'type':'capsule','radius':0.3,'length':0.5"), DIFFERS},
    {"shape.cylinder", "", SHAPE("'type':'cylinder','radius':0.3,'length':0.5"), DIFFERS},
    {"shape.ellipsoid", "", SHAPE("'type':'ellipsoid','radii':[0.3,0.4,0.5]"), DIFFERS},
    {"shape.mesh", "", SHAPE("'type':'mesh','scale':10,'file':'" MESH "'"), DIFFERS},
    {"shape.plane", ROLLING, PLANE(",'offset':-0.5"), DIFFERS},
    {"shape.box.size", SHAPE("'type':'box','size':[0.3,0.4,0.5]"), OF_C "/shape/size=[0.3,0.4,0.6]", DIFFERS},
    {"shape.sphere.radius", SHAPE("'type':'sphere','radius':0.3"), OF_C "/shape/radius=0.5", DIFFERS},
    {"shape.capsule.radius", SHAPE("'type':'capsule','radius':0.3,'length':0.5"), OF_C "/shape/radius=0.5",
     DIFFERS},
    {"shape.capsule.length", SHAPE("'type':'capsule','radius':0.3,'length':0.5"), OF_C "/shape/length=0.8",
     DIFFERS},
    {"shape.cylinder.radius", SHAPE("'type':'cylinder','radius':0.3,'length':0.5"), OF_C "/shape/radius=0.5",
     DIFFERS},
    {"shape.cylinder.length", SHAPE("'type':'cylinder','radius':0.3,'length':0.5"), OF_C "/shape/length=0.8",
     DIFFERS},
    {"shape.ellipsoid.radii", SHAPE("'type':'ellipsoid','radii':[0.3,0.4,0.5]"),
     OF_C "/shape/radii=[0.3,0.4,0.6]", DIFFERS},
    {"shape.mesh.scale", SHAPE("'type':'mesh','scale':10,'file':'" MESH "'"), OF_C "/shape/scale=7", DIFFERS},
    {"shape.mesh.stretch", SHAPE("'type':'mesh','scale':10,'file':'" MESH "'"),
     OF_C "/shape/stretch=[1,-1,2]", DIFFERS},
    {"shape.plane.normal", PLANE(",'offset':-0.5"), "/bodies/3/shape/normal=[0.1,0,1]", DIFFERS},
    {"shape.plane.offset", PLANE(",'offset':-0.5"), "/bodies/3/shape/offset=-0.4", DIFFERS},
    {"frame.position", "", OF_C "/pose/position=[2,0,0.3]", DIFFERS},
    {"frame.rotation", "", OF_C "/pose/rotation=[0.6,0.8,0,0]", DIFFERS},
    {"axis_angle.axis", OF_C "/pose/rotation={'axis':[1,0,0],'angle':0.5}",
     OF_C "/pose/rotation/axis=[1,1,0]", DIFFERS},
    {"axis_angle.angle", OF_C "/pose/rotation={'axis':[1,0,0],'angle':0.5}", OF_C "/pose/rotation/angle=1",
     DIFFERS},
    {"euler.euler=*", "", OF_C "/pose/rotation={'euler':'*','angles':[0.1,0.2,0.3]}", DIFFERS},
    {"euler.angles", OF_C "/pose/rotation={'euler':'xyz','angles':[0.1,0.2,0.3]}",
     OF_C "/pose/rotation/angles=[0.1,0.2,0.5]", DIFFERS},
    {"inertia.mass", INERTIA, OF_C "/inertia/mass=3", DIFFERS},
    {"inertia.center", INERTIA, OF_C "/inertia/center=[0.1,0.2,0]", DIFFERS},
    {"inertia.matrix", INERTIA, OF_C "/inertia/matrix=[0.1,0.2,0.25,0.01,0.02,-0.01]", DIFFERS},
    {"velocity.angular", "", OF_C "/velocity/angular=[3,2,1]", DIFFERS},
    {"velocity.linear", "", OF_C "/velocity/linear=[1,1,1]", DIFFERS},
    {"velocity.frame=*", OF_C "/pose/rotation=[0.6,0.8,0,0]", OF_C "/velocity/frame='*'", DIFFERS},

    // ---- joints
    JOINT_WORDS("joint", NO_JOINT, AS_JOINT),
    JOINT_WORDS("joint_part", "", AS_PART),
    JOINT_WORDS("joint_closure", "", AS_LOOP),
    {"joint.euler.order=*", NO_JOINT, AS_JOINT("'type':'euler','order':'*','position':[0.1,0.2,0.3]"),
     DIFFERS},
    {"joint_part.euler.order=*", AS_PART("'type':'fixed'"),
     AS_PART("'type':'euler','order':'*'") " | " OF_A "/position=[0.1,0.2,0.3]", DIFFERS},
    {"joint_closure.euler.order=*", "", AS_LOOP("'type':'euler','order':'*'"), DIFFERS},
    {"joint.spline_curve.closed", AS_JOINT("'type':'spline_curve','position':2.5" CURVE), OF_A "/closed=true",
     DIFFERS},
    {"joint_part.spline_curve.closed", AS_PART("'type':'spline_curve'" CURVE) " | " OF_A "/position=2.5",
     OF_A "/joints/1/closed=true", DIFFERS},
    {"joint_closure.spline_curve.closed", AS_LOOP("'type':'spline_curve'" CURVE),
     OF_CONSTRAINT "/joint/closed=true", EITHER},
    {"joint_closure.position", AS_LOOP("'type':'spline_curve'" CURVE), OF_CONSTRAINT "/joint/position=0.1",
     EITHER},
    {"joint.parent", "", "/bodies/1/joint/parent='d'", DIFFERS},
    {"joint.position", "", OF_A "/position=0.2", DIFFERS},
    {"joint.velocity", "", OF_A "/velocity=0.2", DIFFERS},
    {"joint.stiffness", "", OF_A "/stiffness=20", DIFFERS},
    {"joint.rest", OF_A "/stiffness=20", OF_A "/rest=1", DIFFERS},
    {"joint.damping", "", OF_A "/damping=2", DIFFERS},
    {"joint.inertia", "", OF_A "/inertia=0.5", DIFFERS},
    {"joint.limits", "", OF_A "/limits=[-0.001,0.001]", DIFFERS},
    {"joint.limits", OF_A "/limits=[-0.002,0.002]", OF_A "/limits=[-0.001,0.001]", DIFFERS},
    {"joint.stops", OF_A "/limits=[-0.001,0.001]", OF_A "/stops={'stiffness':1000}", DIFFERS},
    {"stops.stiffness", STOPS, OF_A "/stops/stiffness=2000", DIFFERS},
    {"stops.damping", STOPS, OF_A "/stops/damping=5", DIFFERS},
    {"joint.frictionloss", "", OF_A "/frictionloss=3", DIFFERS},
    {"joint.friction", "", OF_A "/friction={'coefficient':0.5,'radius':0.1,'length':0.2}", DIFFERS},
    {"joint_friction.coefficient", OF_A "/friction={'coefficient':0.5,'radius':0.1,'length':0.2}",
     OF_A "/friction/coefficient=0.4", DIFFERS},
    {"joint_friction.radius", OF_A "/friction={'coefficient':0.5,'radius':0.1,'length':0.2}",
     OF_A "/friction/radius=0.2", DIFFERS},
    {"joint_friction.length", OF_A "/friction={'coefficient':0.5,'radius':0.1,'length':0.2}",
     OF_A "/friction/length=0.3", DIFFERS},
    {"joint_friction.size", OF_A "={'type':'prismatic','friction':{'coefficient':0.1,'size':[0.1,0.1,0.2]}}",
     OF_A "/friction/size=[0.1,0.1,0.3]", DIFFERS},
    {"joint_friction.tolerance", OF_A "/friction={'coefficient':0.5,'radius':0.1,'length':0.2}",
     OF_A "/friction/tolerance=0.1", DIFFERS},
    {"joint_friction.passes", OF_A "/friction={'coefficient':0.5,'radius':0.1,'length':0.2}",
     OF_A "/friction/passes=1", DIFFERS},
    {"joint.force", "", OF_A "/force=5", DIFFERS},
    PER_JOINT("position", "0.2"),
    PER_JOINT("velocity", "0.2"),
    PER_JOINT("stiffness", "5 | " OF_A "/rest=0.2"),
    PER_JOINT("damping", "5 | " OF_A "/velocity=1"),
    PER_JOINT("limits", "[-0.001,0.001]"),
    PER_JOINT("force", "0.1"),
    PER_JOINT("motor", "{'target':0.1,'stiffness':5}"),
    PER_JOINT("motion", "{'position':'=0.2*t','velocity':0.2}"),
    {"joint_velocity.angular", "", OF_A "/velocity={'angular':[0.2,0.4,0.6]}", DIFFERS},
    {"joint_velocity.linear", OF_A "={'type':'prismatic'}", OF_A "/velocity={'linear':[0,0,1]}", DIFFERS},
    {"joint_velocity.frame=*", OF_A "={'type':'spherical','position':[1,0,0],'velocity':{'angular':[0,0,1]}}",
     OF_A "/velocity/frame='*'", DIFFERS},
    {"signal_table.times", OF_A "/force=" TABLE(""), OF_A "/force/times=[0,0.02,0.06,0.09]", DIFFERS},
    {"signal_table.values", OF_A "/force=" TABLE(""), OF_A "/force/values=[0,1,2,1]", DIFFERS},
    {"signal_table.interpolation=*", OF_A "/force=" TABLE(""), OF_A "/force/interpolation='*'", DIFFERS},
    {"motor.target", MOTOR, OF_A "/motor/target=2", DIFFERS},
    {"motor.target_velocity", MOTOR, OF_A "/motor/target_velocity=2", DIFFERS},
    {"motor.stiffness", MOTOR, OF_A "/motor/stiffness=60", DIFFERS},
    {"motor.damping", MOTOR, OF_A "/motor/damping=3", DIFFERS},
    {"motor.max", MOTOR, OF_A "/motor/max=4", DIFFERS},
    {"motion.position", "", OF_A "/motion={'position':'=0.5*t'}", DIFFERS},
    {"motion.velocity", "", OF_A "/motion={'velocity':0.5}", DIFFERS},
    {"motion.acceleration", "", OF_A "/motion={'acceleration':3}", DIFFERS},

    // ---- bodies that are driven
    {"path.position", DRIVEN("'pose':{'position':['=t',0,0]}"), OF_C "/motion/pose/position=['=2*t',0,0]",
     DIFFERS},
    {"turn_path.axis", DRIVEN("'pose':{'turn':{'axis':[1,2,3],'angle':'=t'}}"),
     OF_C "/motion/pose/turn/axis=[3,2,1]", DIFFERS},
    {"turn_path.angle", DRIVEN("'pose':{'turn':{'axis':[1,2,3],'angle':'=t'}}"),
     OF_C "/motion/pose/turn/angle='=2*t'", DIFFERS},
    {"euler_path.order=*", "", DRIVEN("'pose':{'euler':{'order':'*','angles':['=t','=2*t+0.1','=3*t']}}"),
     DIFFERS},
    {"euler_path.angles", DRIVEN("'pose':{'euler':{'order':'xyz','angles':['=t','=2*t','=3*t']}}"),
     OF_C "/motion/pose/euler/angles=['=t','=2*t','=4*t']", DIFFERS},
    {"speed.angular", DRIVEN("'velocity':{'angular':[1,2,3]}"), OF_C "/motion/velocity/angular=[1,2,2]",
     DIFFERS},
    {"speed.linear", DRIVEN("'velocity':{'linear':[1,2,3]}"), OF_C "/motion/velocity/linear=[1,2,2]",
     DIFFERS},
    {"speed.frame=*", DRIVEN("'velocity':{'linear':[1,2,3],'angular':[1,0,0]}"),
     OF_C "/motion/velocity/frame='*'", DIFFERS},

    // ---- deformables
    {"deformable.springs", "", SPRINGS, DIFFERS},
    {"deformable.color", "", OF_SOFT "/color=[0.6,0.4,0.2,0.5]", SAME},
    {"deformable.particles", "", PARTICLES, DIFFERS},
    {"deformable.cloth", "", CLOTH, DIFFERS},
    {"deformable.tets", "", OF_SOFT "/velocity={'linear':[1,0,0]}", DIFFERS},
    {"deformable.rod", "", ROD, DIFFERS},
    {"node_mesh.rope", ROPE, OF_SOFT "/mesh/rope=5", DIFFERS},
    {"node_mesh.rope", ROD, OF_SOFT "/mesh/rope=5", DIFFERS},
    {"node_mesh.points", CURVED, OF_SOFT "/mesh/points/2/2=0.2", DIFFERS},
    {"helix.nodes", COIL, OF_SOFT "/mesh/helix/nodes=10", DIFFERS},
    {"helix.radius", COIL, OF_SOFT "/mesh/helix/radius=0.2", DIFFERS},
    {"helix.pitch", COIL, OF_SOFT "/mesh/helix/pitch=0.2", DIFFERS},
    {"helix.turns", COIL, OF_SOFT "/mesh/helix/turns=1.5", DIFFERS},
    {"node_mesh.length", ROPE, OF_SOFT "/mesh/length=2", DIFFERS},
    {"node_mesh.grid", SPRINGS, OF_SOFT "/mesh/grid=[4,3]", DIFFERS},
    {"node_mesh.grid", CLOTH, OF_SOFT "/mesh/grid=[4,3]", DIFFERS},
    {"node_mesh.box", "", OF_SOFT "/mesh/box=[3,2,2]", DIFFERS},
    {"node_mesh.ball", BALL, OF_SOFT "/mesh/ball=3", DIFFERS},
    {"node_mesh.radius", BALL, OF_SOFT "/mesh/radius=0.6", DIFFERS},
    {"node_mesh.size", "", OF_SOFT "/mesh/size=[1,1.5,1]", DIFFERS},
    {"node_mesh.pattern=*", SPRINGS, OF_SOFT "/mesh/pattern='*'", DIFFERS},
    {"node_mesh.pattern=*", CLOTH, OF_SOFT "/mesh/pattern='*'", DIFFERS},
    {"node_mesh.scale", OF_SOFT "/mesh={'file':'" ELEMENTS "'}", OF_SOFT "/mesh/scale=2", DIFFERS},
    {"node_mesh.order", "", OF_SOFT "/mesh/order=2", DIFFERS},
    {"node_mesh.weld", OF_SOFT "/mesh={'file':'" CRACKED "'}", OF_SOFT "/mesh/weld=1e-6", DIFFERS},
    {"start_mesh.file", OF_SOFT "/mesh={'file':'" ELEMENTS "'}", OF_SOFT "/start={'file':'" PULLED "'}",
     DIFFERS},
    {"start_mesh.scale", OF_SOFT "/mesh={'file':'" ELEMENTS "'} | " OF_SOFT "/start={'file':'" PULLED "'}",
     OF_SOFT "/start/scale=1.1", DIFFERS},
    {"node_velocity.angular", "", OF_SOFT "/velocity/angular=[1,2,3]", DIFFERS},
    {"node_velocity.linear", "", OF_SOFT "/velocity/linear=[1,2,3]", DIFFERS},
    {"node_velocity.angular", SPRINGS, OF_SOFT "/velocity/angular=[1,2,3]", DIFFERS},
    {"node_velocity.linear", SPRINGS, OF_SOFT "/velocity/linear=[1,2,3]", DIFFERS},
    {"pin.axes", "", OF_SOFT "/pin/0/axes='xz'", DIFFERS},
    {"pin.axes", SPRINGS, OF_SOFT "/pin/0/axes='xz'", DIFFERS},
    {"pin_motion.translate", "", PINNED(",'motion':{'translate':['=t',0,0]}"), DIFFERS},
    {"pin_rotation.axis", PINNED(",'motion':{'rotate':{'axis':[1,0,0],'angle':'=t'}}"),
     OF_SOFT "/pin/0/motion/rotate/axis=[0,1,0]", DIFFERS},
    {"pin_rotation.through", PINNED(",'motion':{'rotate':{'axis':[1,0,0],'angle':'=t'}}"),
     OF_SOFT "/pin/0/motion/rotate/through=[0,1,0]", DIFFERS},
    {"pin_rotation.angle", PINNED(",'motion':{'rotate':{'axis':[1,0,0],'angle':'=t'}}"),
     OF_SOFT "/pin/0/motion/rotate/angle='=2*t'", DIFFERS},
    {"select.vertices", "", OF_SOFT "/pin/0/select={'vertices':[0]}", DIFFERS},
    {"select.nearest", "", OF_SOFT "/pin/0/select={'nearest':[1,1,1]}", DIFFERS},
    {"select.side=*", OF_SOFT "/pin=[]", OF_SOFT "/pin=[{'select':{'side':'*'}}]", DIFFERS},
    {"select.side=*", SPRINGS " | " OF_SOFT "/pin=[]", OF_SOFT "/pin=[{'select':{'side':'*'}}]", DIFFERS},
    {"select.clamp=*", ROD " | " OF_SOFT "/pin=[]", OF_SOFT "/pin=[{'select':{'clamp':'*'}}]", DIFFERS},
    {"select.box", "", OF_SOFT "/pin/0/select={'box':[[0,0,0],[1,1,0.5]]}", DIFFERS},
    {"select_sphere.center", OF_SOFT "/pin/0/select={'sphere':{'center':[0,0,0],'radius':0.5}}",
     OF_SOFT "/pin/0/select/sphere/center=[1,0,0]", DIFFERS},
    {"select_sphere.radius", OF_SOFT "/pin/0/select={'sphere':{'center':[0,0,0],'radius':0.5}}",
     OF_SOFT "/pin/0/select/sphere/radius=1.1", DIFFERS},
    {"attach.body", "", CARRIED, DIFFERS},
    {"attach.body", CARRIED, OF_SOFT "/attach/0/body='world'", DIFFERS},
    {"attach.enforce=*", CARRIED, OF_SOFT "/attach/0/enforce='*'", EITHER},
    {"masters.deformable", FOLLOWS(""),
     "/deformables/-={'name':'other','type':'particles','mesh':{'rope':4,'length':1},'material':{'mass':1}} "
     "| " OF_SOFT "/attach/0/to/deformable='other'",
     DIFFERS},
    {"masters.vertices", "", FOLLOWS(""), DIFFERS},
    {"masters.vertices", SPRINGS, FOLLOWS(""), DIFFERS},
    {"masters.weights", FOLLOWS(""), OF_SOFT "/attach/0/to/weights=[0.3,0.7]", DIFFERS},
    {"attach.enforce=*", FOLLOWS(""), OF_SOFT "/attach/0/enforce='*'", EITHER},
    {"cable.pull", "", CABLE(",'pull':100"), DIFFERS},
    {"cable.compliance", CABLE(""), OF_SOFT "/cables/0/compliance=0.1", DIFFERS},
    {"rod_material.radius", ROD, MATERIAL "/radius=0.04", DIFFERS},
    {"rod_material.young", ROD, MATERIAL "/young=20000", DIFFERS},
    {"rod_material.poisson", CURVED, MATERIAL "/poisson=0.1", DIFFERS},
    {"rod_material.bending", ROD, MATERIAL "/bending=1", DIFFERS},
    {"rod_material.twisting", CURVED, MATERIAL "/twisting=0.03", DIFFERS},
    {"rod_material.damping", ROD, MATERIAL "/damping=0.1", DIFFERS},
    {"rod_material.density", ROD, MATERIAL "/density=500", DIFFERS},
    {"spring_material.mass", SPRINGS, MATERIAL "/mass=7", DIFFERS},
    {"spring_material.stiffness", SPRINGS, MATERIAL "/stiffness=20", DIFFERS},
    {"spring_material.damping", SPRINGS, MATERIAL "/damping=0.2", DIFFERS},
    {"spring_material.law=*", SPRINGS, MATERIAL "/law='*'", DIFFERS},
    {"spring_material.lagged", SPRINGS, MATERIAL "/lagged=true", DIFFERS},
    {"particle_material.mass", PARTICLES " | " SPRING(NODE, WORLD), MATERIAL "/mass=7", DIFFERS},
    {"tet_material.model=*", "", MATERIAL "/model='*'", DIFFERS},
    {"tet_material.young", "", MATERIAL "/young=2000", DIFFERS},
    {"tet_material.poisson", "", MATERIAL "/poisson=0.4", DIFFERS},
    {"tet_material.density", "", MATERIAL "/density=200", DIFFERS},
    {"tet_material.damping", "", MATERIAL "/damping=0.1", DIFFERS},
    {"cloth_material.damping", CLOTH, MATERIAL "/damping=0.1", DIFFERS},
    {"cloth_material.model=*", CLOTH, MATERIAL "/model='*'", EITHER},
    {"cloth_material.young", CLOTH, MATERIAL "/young=2000", DIFFERS},
    {"cloth_material.poisson", CLOTH, MATERIAL "/poisson=0.4", DIFFERS},
    {"cloth_material.density", CLOTH, MATERIAL "/density=200", DIFFERS},
    {"cloth_material.thickness", CLOTH, MATERIAL "/thickness=0.1", DIFFERS},
    {"node_mesh.ball", BUBBLE " | " OF_SOFT "/pressure=10", OF_SOFT "/mesh/ball=3", DIFFERS},
    {"deformable.tets.wind", "", OF_SOFT "/wind={'velocity':[20,1,2]}", DIFFERS},
    {"deformable.tets.pressure", HOLLOW, OF_SOFT "/pressure=100", DIFFERS},
    {"deformable.tets.gas", HOLLOW, OF_SOFT "/gas={'pressure':100}", DIFFERS},
    {"deformable.cloth.pressure", BUBBLE, OF_SOFT "/pressure=10", DIFFERS},
    {"deformable.cloth.gas", BUBBLE, OF_SOFT "/gas={'pressure':100}", DIFFERS},
    {"gas.pressure", BUBBLE " | " OF_SOFT "/gas={'pressure':100}", OF_SOFT "/gas/pressure=200", DIFFERS},
    {"gas.outside", BUBBLE " | " OF_SOFT "/gas={'pressure':100}", OF_SOFT "/gas/outside=10", DIFFERS},
    {"deformable.cloth.wind", CLOTH, OF_SOFT "/wind={'velocity':[20,1,2]}", DIFFERS},
    {"wind.velocity", BLOWN, OF_SOFT "/wind/velocity=[10,1,2]", DIFFERS},
    {"wind.density", BLOWN, OF_SOFT "/wind/density=2", DIFFERS},
    {"wind.drag", BLOWN, OF_SOFT "/wind/drag=2", DIFFERS},
    {"wind.lift", BLOWN, OF_SOFT "/wind/lift=2", DIFFERS},
    {"tet_material.fibres", "", MATERIAL "/fibres=[{'direction':[2,1,0],'stiffness':3000}]", DIFFERS},
    {"cloth_material.fibres", CLOTH, MATERIAL "/fibres=[{'direction':[1,2,0],'stiffness':3000}]", DIFFERS},
    {"fibres.direction", FIBROUS, MATERIAL "/fibres/0/direction=[1,1,0]", DIFFERS},
    {"fibres.stiffness", FIBROUS, MATERIAL "/fibres/0/stiffness=100", DIFFERS},
    {"fibres.limit", FIBROUS, MATERIAL "/fibres/0/limit=0.0001", DIFFERS},
    {"fibres.beyond", FIBROUS, MATERIAL "/fibres/0/beyond=100", DIFFERS},
    {"fibres.strength", FIBROUS, MATERIAL "/fibres/0/strength=30", DIFFERS},
    {"fibres.activation", FIBROUS, MATERIAL "/fibres/0/activation=0.7", DIFFERS},
    {"bending.model=*", CLOTH, MATERIAL "/bending/model='*'", DIFFERS},
    {"bending.stiffness", CLOTH, MATERIAL "/bending/stiffness=5", DIFFERS},
    {"bending.damping", CLOTH, MATERIAL "/bending/damping=0.1", DIFFERS},

    // ---- forces
    {"force.damping", "", FORCE("'type':'damping','coefficient':3"), DIFFERS},
    {"force.damping", BARE, FORCE("'type':'damping','coefficient':30"), DIFFERS},
    {"force.damping.coefficient", FORCE("'type':'damping','coefficient':3"), OF_FORCE "/coefficient=4",
     DIFFERS},
    {"force.wrench", "", WRENCH, DIFFERS},
    {"force.wrench.body", WRENCH, OF_FORCE "/body='a'", DIFFERS},
    {"force.wrench.torque", WRENCH, OF_FORCE "/torque=[1,0,0]", DIFFERS},
    {"force.wrench.force", WRENCH, OF_FORCE "/force=[1,0,0]", DIFFERS},
    {"force.wrench.frame=*", WRENCH, OF_FORCE "/frame='*'", DIFFERS},
    // a force through the centre of a body in space does not change with its turning: there this one is off the centre
    {"force.wrench.lagged",
     WRENCH " | " OF_FORCE "/body='b' | /bodies/1/shape/frame={'position':[0.1,0.05,0.2]}",
     OF_FORCE "/lagged=true", DIFFERS},
    {"force.point_force", "", AT_POINT, DIFFERS},
    {"force.point_force.body", AT_POINT, OF_FORCE "/body='a'", DIFFERS},
    {"force.point_force.at", AT_POINT, OF_FORCE "/at=[0.1,0.2,0.3]", DIFFERS},
    {"force.point_force.force", AT_POINT, OF_FORCE "/force=[1,0,0]", DIFFERS},
    {"force.point_force.frame=*", AT_POINT, OF_FORCE "/frame='*'", DIFFERS},
    {"force.point_force.lagged", AT_POINT " | " OF_FORCE "/body='b'", OF_FORCE "/lagged=true", DIFFERS},
    {"force.spring", "", SPRING(FAR_A, FAR_C), DIFFERS},
    {"force.spring", "", SPRING(FAR_A, NODE), DIFFERS},
    {"force.spring", BARE, SPRING(NODE, WORLD), DIFFERS},
    {"force.spring.stiffness", SPRING(FAR_A, FAR_C), OF_FORCE "/stiffness=30", DIFFERS},
    {"force.spring.damping", SPRING(FAR_A, FAR_C), OF_FORCE "/damping=0", DIFFERS},
    {"force.spring.length", SPRING(FAR_A, FAR_C), OF_FORCE "/length=0.6", DIFFERS},
    {"force.spring.law=*", SPRING(FAR_A, FAR_C), OF_FORCE "/law='*'", DIFFERS},
    {"force.spring.lagged", SPRING(FAR_A, FAR_C), OF_FORCE "/lagged=true", DIFFERS},
    {"force.spring.stiffness", BARE " | " SPRING(NODE, WORLD), OF_FORCE "/stiffness=30", DIFFERS},
    {"force.spring.damping", BARE " | " SPRING(NODE, WORLD), OF_FORCE "/damping=0", DIFFERS},
    {"force.spring.length", BARE " | " SPRING(NODE, WORLD), OF_FORCE "/length=0.6", DIFFERS},
    {"force.spring.law=*", BARE " | " SPRING(NODE, WORLD), OF_FORCE "/law='*'", DIFFERS},
    {"force.spring.lagged", BARE " | " SPRING(NODE, WORLD) " | " OF_FORCE "/stiffness=2000",
     OF_FORCE "/lagged=true", DIFFERS},
    {"force.frame_spring", "", FRAME_SPRING, DIFFERS},
    {"force.frame_spring.stiffness", FRAME_SPRING, OF_FORCE "/stiffness=[30,3]", DIFFERS},
    {"force.frame_spring.stiffness", FRAME_SPRING, OF_FORCE "/stiffness=[20,4]", DIFFERS},
    {"force.frame_spring.damping", FRAME_SPRING, OF_FORCE "/damping=[0.3,0]", DIFFERS},
    {"force.frame_spring.damping", FRAME_SPRING, OF_FORCE "/damping=[0,0.2]", DIFFERS},
    {"force.frame_spring.lagged", FRAME_SPRING, OF_FORCE "/lagged=true", DIFFERS},
    {"force.multi_spring", "", MULTI_SPRING(FAR_A, FAR_C, FAR_D), DIFFERS},
    {"force.multi_spring", "", MULTI_SPRING(FAR_A, NODE, FAR_D), DIFFERS},
    {"force.multi_spring", BARE, MULTI_SPRING(OTHER_NODE, WORLD, NODE), DIFFERS},
    {"force.multi_spring.passive", MULTI_SPRING(FAR_A, FAR_C, FAR_D), OF_FORCE "/passive=[0]", DIFFERS},
    {"force.multi_spring.stiffness", MULTI_SPRING(FAR_A, FAR_C, FAR_D), OF_FORCE "/stiffness=30", DIFFERS},
    {"force.multi_spring.damping", MULTI_SPRING(FAR_A, FAR_C, FAR_D), OF_FORCE "/damping=0", DIFFERS},
    {"force.multi_spring.length", MULTI_SPRING(FAR_A, FAR_C, FAR_D), OF_FORCE "/length=2", DIFFERS},
    {"force.multi_spring.lagged", MULTI_SPRING(FAR_A, FAR_C, FAR_D), OF_FORCE "/lagged=true", DIFFERS},
    {"force.muscle", "", MUSCLE(FAR_A, FAR_C, "2"), DIFFERS},
    {"force.muscle", "", MUSCLE(FAR_D, NODE, "4"), DIFFERS},
    {"force.muscle", BARE, MUSCLE(NODE, WORLD, "1"), DIFFERS},
    {"force.muscle.max_force", MUSCLE(FAR_A, FAR_C, "2"), OF_FORCE "/max_force=150", DIFFERS},
    {"force.muscle.optimal_length", MUSCLE(FAR_A, FAR_C, "2"), OF_FORCE "/optimal_length=1.8", DIFFERS},
    {"force.muscle.tendon_length", MUSCLE(FAR_A, FAR_C, "2"), OF_FORCE "/tendon_length=0", DIFFERS},
    {"force.muscle.max_velocity", MUSCLE(FAR_A, FAR_C, "2"), OF_FORCE "/max_velocity=4", DIFFERS},
    {"force.muscle.activation", MUSCLE(FAR_A, FAR_C, "2"), OF_FORCE "/activation=0.7", DIFFERS},
    {"force.muscle.lagged", MUSCLE(FAR_A, FAR_C, "2"), OF_FORCE "/lagged=true", DIFFERS},
    {"point.body", SPRING(FAR_A, FAR_C), OF_FORCE "/between/0/body='d'", DIFFERS},
    {"point.node", SPRING(FAR_A, FAR_C), OF_FORCE "/between/1=" NODE, DIFFERS},
    {"point.index", SPRING(FAR_A, NODE), OF_FORCE "/between/1/index=1", DIFFERS},
    {"point.at", SPRING(FAR_A, FAR_C), OF_FORCE "/between/1/at=[0.2,0.2,0]", DIFFERS},
    {"body_frame.body", FRAME_SPRING, OF_FORCE "/between/0/body='d'", DIFFERS},

    // ---- constraints
    KIND("joint", CLOSURE("'revolute'")),
    KIND("point", CONSTRAINT("'type':'point'," POINTS(A, C))),
    KIND("distance", CONSTRAINT("'type':'distance'," POINTS(FAR_A, FAR_C))),
    KIND("point_on_line", CONSTRAINT("'type':'point_on_line'," POINTS(A, C))),
    KIND("point_on_plane", CONSTRAINT("'type':'point_on_plane'," POINTS(A, C))),
    KIND("ratio", RATIO),
    KIND_OF_RATES("velocity_ratio", VELOCITY_RATIO),
    KIND_OF_RATES("rolling", ROLLING),
    KIND("point", CONSTRAINT("'type':'point'," POINTS(NODE, "{'body':'a','at':[1,6,1]}"))),
    KIND("distance", CONSTRAINT("'type':'distance'," POINTS(NODE, FAR_D))),
    KIND("point_on_line", CONSTRAINT("'type':'point_on_line'," POINTS("{'body':'a','at':[1,6,1]}", NODE))),
    KIND("point_on_plane", CONSTRAINT("'type':'point_on_plane'," POINTS("{'body':'a','at':[1,6,1]}", NODE))),
    KIND("point", BARE " | " CONSTRAINT("'type':'point'," POINTS(NODE, "{'body':'world','at':[1,6,1]}"))),
    KIND("distance", BARE " | " CONSTRAINT("'type':'distance'," POINTS(NODE, OTHER_NODE))),
    KIND("point_on_line",
         BARE " | " CONSTRAINT("'type':'point_on_line'," POINTS("{'body':'world','at':[1,6,1]}", NODE))),
    KIND("point_on_plane",
         BARE " | " CONSTRAINT("'type':'point_on_plane'," POINTS("{'body':'world','at':[1,6,1]}", NODE))),
    {"constraint.joint.axis", CLOSURE("'revolute'"), OF_CONSTRAINT "/axis=[1,0,0]", DIFFERS},
    {"constraint.distance.length", CONSTRAINT("'type':'distance'," POINTS(FAR_A, FAR_C)),
     OF_CONSTRAINT "/length=2.2", DIFFERS},
    {"constraint.distance.rope", CONSTRAINT("'type':'distance','length':2.3," POINTS(FAR_A, FAR_C)),
     OF_CONSTRAINT "/rope=true", DIFFERS},
    {"constraint.distance.rope", CONSTRAINT("'type':'distance','rope':true," POINTS(NODE, WORLD)),
     OF_CONSTRAINT "/length=1", DIFFERS},
    {"constraint.point_on_line.axis", CONSTRAINT("'type':'point_on_line'," POINTS(A, C)),
     OF_CONSTRAINT "/axis=[1,0,0]", DIFFERS},
    {"constraint.point_on_plane.normal", CONSTRAINT("'type':'point_on_plane'," POINTS(A, C)),
     OF_CONSTRAINT "/normal=[1,0,0]", DIFFERS},
    {"constraint.ratio.joints", RATIO, OF_CONSTRAINT "/joints=['a','b']", DIFFERS},
    {"constraint.ratio.ratio", RATIO, OF_CONSTRAINT "/ratio=3", DIFFERS},
    {"constraint.ratio.offset", RATIO, OF_CONSTRAINT "/offset=0.1", DIFFERS},
    {"constraint.ratio.enforce=*", RATIO, OF_CONSTRAINT "/enforce='*'", EITHER},
    {"constraint.velocity_ratio.bodies", VELOCITY_RATIO, OF_CONSTRAINT "/bodies=['d','c']", DIFFERS},
    {"constraint.velocity_ratio.axes", VELOCITY_RATIO, OF_CONSTRAINT "/axes=[[1,2,3],[0,1,0]]", DIFFERS},
    {"constraint.velocity_ratio.ratio", VELOCITY_RATIO, OF_CONSTRAINT "/ratio=3", DIFFERS},
    {"constraint.rolling.body", ROLLING,
     "/bodies/3/shape={'type':'sphere','radius':0.3} | " OF_CONSTRAINT "/body='d'", DIFFERS},
    {"constraint.rolling.on", ROLLING,
     OF_CONSTRAINT "/on='d' | " OF_CONSTRAINT "/at=[0,0,-0.3] | " OF_CONSTRAINT "/normal=[0,0,1]", DIFFERS},
    {"constraint.rolling.normal", ROLLING, OF_CONSTRAINT "/normal=[0.1,0,1]", DIFFERS},
    {"constraint.rolling.at", ROLLING, OF_CONSTRAINT "/at=[0,0,-0.4]", DIFFERS},
    {"constraint.rolling.along",
     SOLID("'mass':1,'shape':{'type':'cylinder','radius':0.5,'length':0.4},'pose':{'rotation':"
           "{'axis':[1,0,0],'angle':'=80*deg'}}") " | " ROLLING,
     OF_CONSTRAINT "/along=0.1", DIFFERS},

    // contact: a box that comes down onto the ground and slides
    {"deformable.contact", SOFT_TOUCH, "/deformables/0/contact={'enabled':false}", DIFFERS},
    {"deformable_contact.enabled", SOFT_TOUCH, "/deformables/0/contact={'enabled':false}", DIFFERS},
    {"deformable_contact.thickness", SOFT_TOUCH, "/deformables/0/contact={'thickness':0.001}", DIFFERS},
    {"deformable_contact.friction", SOFT_TOUCH, "/deformables/0/contact={'friction':0.1}", DIFFERS},
    {"deformable_contact.self", SELF_TOUCH, "/deformables/0/contact/self=true", DIFFERS},
    {"contact.self", SELF_TOUCH, "/contact/self=true", DIFFERS},
    {"contact.enabled", TOUCH, "/contact/enabled=false", DIFFERS},
    {"contact.friction", TOUCH, "/contact/friction=0.1", DIFFERS},
    {"contact.restitution", TOUCH, "/contact/restitution=0.5", DIFFERS},
    {"contact.restitution_threshold", TOUCH " | /contact/restitution=0.5", "/contact/restitution_threshold=5",
     DIFFERS},
    {"contact.method=*", TOUCH, "/contact/method='*'", EITHER},
    {"contact.cone=*", TOUCH, "/contact/cone='*'", DIFFERS},
    {"contact.sides", TOUCH " | /contact/cone='pyramid'", "/contact/sides=8", DIFFERS},
    {"contact.compliance", TOUCH, "/contact/compliance=0.001", DIFFERS},
    {"contact.damping", TOUCH " | /contact/compliance=0.001", "/contact/damping=0.01", DIFFERS},
    {"contact.iterations", TOUCH, "/contact/iterations=30", EITHER},
    {"contact.tolerance", TOUCH, "/contact/tolerance=1e-4", EITHER},
    {"contact.function=*", TOUCH " | /contact/method='nonsmooth_newton'", "/contact/function='*'", EITHER},
    {"contact.exclude", TOUCH, "/contact/exclude=[['c','ground']]", DIFFERS},
    {"contact_pair.bodies", TOUCH " | " PAIR, "/contact/pairs/0/bodies=['a','ground']", DIFFERS},
    {"contact_pair.friction", TOUCH " | " PAIR, "/contact/pairs/0/friction=0.2", DIFFERS},
    {"contact_pair.restitution", TOUCH " | " PAIR, "/contact/pairs/0/restitution=0.5", DIFFERS},
    {"shape.collide", TOUCH, "/bodies/2/shape/collide=false", DIFFERS},
    {"shape.collide=*", TOUCH " | /bodies/2/shape={'type':'mesh','file':'scenes/free/angle.obj'}",
     "/bodies/2/shape/collide='*'", EITHER},
    {"shape.friction", TOUCH, "/bodies/2/shape/friction=0.1", DIFFERS},
    {"shape.restitution", TOUCH, "/bodies/2/shape/restitution=0.5", DIFFERS},
    {"material.friction", TOUCH " | /bodies/2/material='oak'", "/materials/oak/friction=0.1", DIFFERS},
    {"material.restitution", TOUCH " | /bodies/2/material='oak'", "/materials/oak/restitution=0.5", DIFFERS},
};
const size_t words_count = sizeof words_probes / sizeof *words_probes;
_Static_assert(sizeof words_probes / sizeof *words_probes <= WORDS_MOST, "room for all of them");
