import type { Need, World } from "./world/world.ts";

/** One question about one clause. `run` resolves when the answer is as the clause says, and throws `NotMet` or `NotReached`. */
export type Check = { clause: string; asks: string; needs: Need[]; run: (world: World) => Promise<void> };
