/** What one process can be: a gateway (with its pages or its API) or a worker. Each can be started and scaled alone. */
export const roles = ["partner", "partner-worker", "service-api", "service-web", "service-worker"] as const;
export type Role = (typeof roles)[number];

/** The roles named by the setting ROLES: comma separated, or all of them for "all" and for nothing. Throws on another word. */
export function parseRoles(setting: string | undefined): ReadonlySet<Role> {
  if (!setting || setting === "all") return new Set(roles);
  return new Set(setting.split(",").map((name) => requireRole(name.trim())));
}

function requireRole(name: string): Role {
  const role = roles.find((known) => known === name);
  if (!role) throw new Error(`ROLES: "${name}" is no role. Use all, or some of ${roles.join(", ")}.`);
  return role;
}
