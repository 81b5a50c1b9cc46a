# what a machine with a device runs by one command, rehearsed with loops in the device's place; and without
MBSIM_DEVICE=loops BUILT=1 SCENES='projective/hanging_cloth deformables/balloon contact/soft_ball deformables/quadratic_beam' sh "$ROOT/tests/gpu/run.sh" out >log
echo "exit $?"
grep -E '^(ok|FAILED|refused)|failed$' out/*.txt
ls out
export LD_LIBRARY_PATH="$(dirname "$MBSIM")/fake" FAKE_CUDA='13000 100 0 0 0'
BUILT=1 sh "$ROOT/tests/gpu/run.sh" none 2>&1 | no_cuda
ls none
