import type { Need, World } from "./world/world.ts";

export type Check = { clause: string; statement: string; needs: Need[]; run: (world: World) => Promise<void> };
