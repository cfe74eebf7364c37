// Even an old Node.js must be able to run this file. `engines` in package.json says the same (package/plainbook.test.ts).
export const oldestNode = [22, 19];

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const [majorMin, minorMin] = oldestNode;

export const isNodeTooOld = major < majorMin || (major === majorMin && minor < minorMin);
