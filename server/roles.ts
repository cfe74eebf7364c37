export type App = "partner" | "service";

/** Each role can be started and scaled on its own. */
export const roles = ["partner", "partner-worker", "service-api", "service-web", "service-worker"] as const;
export type Role = (typeof roles)[number];

/** Parses the setting ROLES: comma separated, or "all". Throws on an unknown role. */
export function parseRoles(setting: string | undefined): ReadonlySet<Role> {
  if (!setting || setting === "all") return new Set(roles);
  return new Set(setting.split(",").map((name) => requireRole(name.trim())));
}

function requireRole(name: string): Role {
  const role = roles.find((known) => known === name);
  if (!role) throw new Error(`ROLES: "${name}" is not a role. Use all, or some of ${roles.join(", ")}.`);
  return role;
}
