import type { Need, World } from "./world/world.ts";

/** One check of one clause. `run` throws `NotMet` or `NotReached`. */
export type Check = { clause: string; asks: string; needs: Need[]; run: (world: World) => Promise<void> };
