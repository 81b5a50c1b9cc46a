// What is drawn on demand.
export const SHOWN = ["names", "frames", "centres", "joints", "forces", "strain"];
