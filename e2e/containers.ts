import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

// Runs a compose file's services without a container engine, each in its own Linux namespaces: PID 1, a network
// interface on a bridge, a read-only root, the file's user, mounts and environment. Needs root. Programs are local.

/** A local stand-in for an image: folders mounted at their paths, and the image's settings. */
export type Image = {
  uid: number;
  entrypoint: string[];
  command?: string[];
  workingFolder?: string;
  environment?: Record<string, string>;
  folders?: Record<string, string>;
  healthcheck?: Healthcheck;
};

type Healthcheck = { test: string[]; interval?: string };
type Condition = { condition: "service_healthy" | "service_started" };

/** A compose service, with the fields used here. */
export type Service = {
  image: string;
  user?: string;
  entrypoint?: string[];
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  tmpfs?: string[];
  configs?: { source: string; target: string }[];
  depends_on?: Record<string, Condition>;
  healthcheck?: Healthcheck;
  cap_add?: string[];
  networks?: { default: { ipv4_address?: string; aliases?: string[] } };
};

export type ComposeFile = { services: Record<string, Service>; configs: Record<string, { content: string }> };

type Container = { child: ChildProcess; pid: number; output: { text: string } };

export type Containers = {
  /** An HTTP proxy that reaches the containers by name. */
  proxyUrl: string;
  /** A service's output so far. */
  output: (service: string) => string;
  /** Runs a command in a container and returns its output. */
  run: (service: string, command: string[]) => string;
  /** Sends SIGTERM to each; returns their exit codes by service. */
  stop: () => Promise<Record<string, number | null>>;
};

const system = ["/usr/sbin", "/usr/bin"];
// For setpriv: the kernel kills the child when this process ends, however it ends.
const tied = ["--pdeathsig", "KILL"];
const healthTriesMax = 240;

export async function startContainers(
  { services, configs }: ComposeFile,
  { folder, projectFolder, images }: { folder: string; projectFolder: string; images: Record<string, Image> },
): Promise<Containers> {
  const bridge = spawn("setpriv", [...tied, "unshare", "--net", "sh", "-ec", bridgeScript], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(bridge.stdout, "data");
  const names = Object.keys(services);
  const addressOf = (name: string, index: number) =>
    services[name]?.networks?.default.ipv4_address ?? `172.28.5.${128 + index}`;
  const hosts = names.flatMap((name, index) =>
    [name, ...(services[name]?.networks?.default.aliases ?? [])].map((host) => `${addressOf(name, index)} ${host}`),
  );
  const hostsFile = join(folder, "hosts");
  writeFileSync(hostsFile, ["127.0.0.1 localhost", ...hosts, ""].join("\n"));

  const containers = new Map<string, Container>();
  const started = new Map<string, Promise<void>>();
  const healthy = new Map<string, Promise<void>>();
  const of = <T>(map: Map<string, T>, name: string): T => {
    const found = map.get(name);
    if (!found) throw new Error(`The compose file has no service ${name}.`);
    return found;
  };

  async function start(name: string, service: Service, index: number): Promise<void> {
    for (const [dependency, { condition }] of Object.entries(service.depends_on ?? {})) {
      await of(condition === "service_healthy" ? healthy : started, dependency);
    }
    const image = images[service.image];
    if (!image) throw new Error(`The image ${service.image} has no local replacement.`);
    const root = join(folder, name);
    const mounts = prepareMounts({ service, image, configs, folder, projectFolder, hostsFile });
    const variables = { PATH: ["/opt/bin", ...system].join(":"), ...image.environment, ...service.environment };
    const capabilities = ["-all", ...(service.cap_add ?? []).map((capability) => `+${capability.toLowerCase()}`)].join(
      ",",
    );
    const command = [...(service.entrypoint ?? image.entrypoint), ...(service.command ?? image.command ?? [])];
    const inside = [
      // Changing the user clears pdeathsig, so it is set again.
      ...["setpriv", ...tied, `--reuid=${image.uid}`, `--regid=${image.uid}`, "--clear-groups", "--no-new-privs"],
      ...[`--bounding-set=${capabilities}`, "env", "-i", "-C", image.workingFolder ?? "/"],
      ...Object.entries(variables).map(([key, value]) => `${key}=${value}`),
      ...command,
    ];
    mkdirSync(root, { recursive: true });
    // Waits for its network interface before running the command.
    const script = [rootScript, ...mounts, 'mount -o remount,ro "$R"', "read -r _", 'exec chroot "$R" "$@"'].join("\n");
    const isolated = [
      ...tied,
      "unshare",
      "--net",
      "--mount",
      "--pid",
      "--fork",
      "--kill-child",
      "sh",
      "-ec",
      script,
      "sh",
      ...inside,
    ];
    const child = spawn("setpriv", isolated, { env: { ...process.env, R: root } });
    const output = { text: "" };
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output.text += String(data)));
    const pid = await firstChild(child, output);
    execFileSync("sh", ["-ec", joinScript], {
      env: { ...process.env, B: `${bridge.pid}`, C: `${child.pid}`, I: `v${index}`, A: addressOf(name, index) },
    });
    child.stdin.end("go\n");
    containers.set(name, { child, pid, output });
  }

  async function becomeHealthy(name: string, service: Service): Promise<void> {
    await of(started, name);
    const { child, output } = of(containers, name);
    const test = (service.healthcheck ?? images[service.image]?.healthcheck)?.test.slice(1) ?? ["true"];
    for (let tries = 0; enter(name, test).status !== 0; tries++) {
      if (child.exitCode !== null || tries === healthTriesMax) {
        throw new Error(`${name} isn't healthy (${child.exitCode}, ${enter(name, test).stderr}): ${output.text}`);
      }
      await delay(250);
    }
  }

  function enter(name: string, command: string[]) {
    const { pid } = of(containers, name);
    const image = images[services[name]?.image ?? ""];
    const variables = {
      PATH: ["/opt/bin", ...system].join(":"),
      ...image?.environment,
      ...services[name]?.environment,
    };
    const given = Object.entries(variables).map(([key, value]) => `${key}=${value}`);
    const inside = ["env", "-i", "-C", image?.workingFolder ?? "/", ...given, ...command];
    return spawnSync("nsenter", ["-t", `${pid}`, "-m", "-n", "-p", "-r", ...inside], { encoding: "utf8" });
  }

  const stopped = new Map<string, Promise<number | null>>();
  function stopOne(name: string): Promise<number | null> {
    const ending = stopped.get(name) ?? end(name);
    stopped.set(name, ending);
    return ending;
  }

  // Stops a service after its dependents.
  async function end(name: string): Promise<number | null> {
    const dependents = names.filter((other) => services[other]?.depends_on?.[name]);
    await Promise.all(dependents.map(stopOne));
    const { child, pid } = of(containers, name);
    if (child.exitCode !== null) return child.exitCode;
    const ended = once(child, "exit");
    process.kill(pid, "SIGTERM");
    return ((await ended) as [number | null])[0];
  }

  for (const [index, [name, service]] of Object.entries(services).entries()) {
    // Starts on the next turn, once every service's promise exists.
    started.set(
      name,
      delay(0).then(() => start(name, service, index)),
    );
    healthy.set(
      name,
      delay(0).then(() => becomeHealthy(name, service)),
    );
  }
  const stop = async () => {
    const codes = await Promise.all(names.map(async (name) => [name, await stopOne(name)] as const));
    link.close();
    bridge.kill("SIGKILL");
    return Object.fromEntries(codes);
  };
  const link = await openLink(
    bridge.pid ?? 0,
    folder,
    Object.fromEntries(hosts.map((line) => line.split(" ").reverse())),
  );
  try {
    await Promise.all([...healthy.values(), ...started.values()]);
  } catch (error) {
    const ended = [...containers.values()].map(({ child }) => child.exitCode ?? once(child, "exit"));
    for (const { child } of containers.values()) child.kill("SIGKILL");
    await Promise.all(ended);
    link.close();
    bridge.kill("SIGKILL");
    throw error;
  }
  return {
    proxyUrl: link.url,
    output: (name) => of(containers, name).output.text,
    run: (name, command) => {
      const { status, stdout, stderr } = enter(name, command);
      if (status !== 0) throw new Error(`${command.join(" ")} in ${name}: ${status} ${stderr}`);
      return stdout;
    },
    stop,
  };
}

const bridgeScript = `
ip link set lo up
ip link add bridge0 type bridge
ip addr add 172.28.5.1/24 dev bridge0
ip link set bridge0 up
echo up
exec sleep infinity`;

// As root, outside the container's network: a veth pair between bridge and container.
const joinScript = `
nsenter -t $B -n ip link add $I type veth peer name eth0 netns $C
nsenter -t $B -n ip link set $I master bridge0 up
nsenter -t $C -n ip addr add $A/24 dev eth0
nsenter -t $C -n ip link set eth0 up
nsenter -t $C -n ip link set lo up
nsenter -t $C -n sh -c 'echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start'`;

// An empty root with this machine's programs.
const rootScript = `
mount -t tmpfs -o mode=755 root "$R"
cd "$R"
mkdir -p usr etc proc dev tmp run var/log opt/bin
mount --bind /usr usr && mount -o remount,bind,ro usr
mount --rbind /dev dev
mount -t proc proc proc
for d in bin sbin lib lib64; do [ -e /$d ] && ln -s usr/$d $d; done
cp -a /etc/passwd /etc/group /etc/nsswitch.conf /etc/ssl /etc/ld.so.cache etc/`;

type Mounting = {
  service: Service;
  image: Image;
  configs: ComposeFile["configs"];
  folder: string;
  projectFolder: string;
  hostsFile: string;
};

/** Shell lines that mount the service's and its image's files. */
function prepareMounts({ service, image, configs, folder, projectFolder, hostsFile }: Mounting): string[] {
  const mounts = [bind(hostsFile, "/etc/hosts", "ro")];
  for (const [target, source] of Object.entries(image.folders ?? {})) mounts.push(bind(source, target, "ro"));
  for (const target of service.tmpfs ?? []) {
    mounts.push(`mkdir -p "$R${target}"`, `mount -t tmpfs -o mode=1777 tmp "$R${target}"`);
  }
  for (const { source, target } of service.configs ?? []) {
    const file = join(folder, `config-${source}`);
    writeFileSync(file, configs[source]?.content ?? "");
    mounts.push(bind(file, target, "ro"));
  }
  for (const volume of service.volumes ?? []) {
    const [source = "", target = "", mode = "rw"] = volume.split(":");
    const isFile = source.startsWith(".") || source.startsWith("/");
    const path = isFile ? resolve(projectFolder, source) : join(folder, `volume-${source}`);
    if (!isFile) {
      mkdirSync(path, { recursive: true });
      chmodSync(path, 0o755);
      chownSync(path, image.uid, image.uid);
    }
    mounts.push(bind(path, target, mode));
  }
  return mounts;
}

function bind(source: string, target: string, mode: string): string {
  const mountPath = `"$R${target}"`;
  const make = `mkdir -p "$(dirname ${mountPath})"; if [ -d "${source}" ]; then mkdir -p ${mountPath}; else touch ${mountPath}; fi`;
  const restrict = mode === "ro" ? `; mount -o remount,bind,ro ${mountPath}` : "";
  return `${make}; mount --bind "${source}" ${mountPath}${restrict}`;
}

async function firstChild({ pid = 0, ...child }: ChildProcess, output: { text: string }): Promise<number> {
  for (;;) {
    const found = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    if (found) return Number(found);
    if (child.exitCode !== null) throw new Error(`A container didn't start: ${output.text}`);
    await delay(5);
  }
}

const insideProxy = `
const { createServer } = require("node:http");
const { connect } = require("node:net");
const [, socket, hosts] = process.argv;
createServer().on("connect", ({ url }, near) => {
  const [host, port] = url.split(":");
  const far = connect(Number(port), JSON.parse(hosts)[host] ?? host, () => {
    near.write("HTTP/1.1 200 OK\\r\\n\\r\\n");
    near.pipe(far).pipe(near);
  });
  for (const [one, other] of [[near, far], [far, near]]) one.on("error", () => other.destroy());
}).listen(socket, () => console.log("open"));`;

/** An HTTP proxy on this machine's loopback into the bridge's network. */
async function openLink(bridge: number, folder: string, hosts: Record<string, string>) {
  const socket = join(folder, "way");
  const program = [process.execPath, "-e", insideProxy, socket, JSON.stringify(hosts)];
  const inside = spawn("setpriv", [...tied, "nsenter", "-t", `${bridge}`, "-n", ...program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(inside.stdout, "data");
  const outside = createServer((near) => {
    const far = connect(socket);
    near.pipe(far).pipe(near);
    near.on("error", () => far.destroy());
    far.on("error", () => near.destroy());
  });
  await once(outside.listen(0, "127.0.0.1"), "listening");
  const address = outside.address();
  const port = typeof address === "object" ? address?.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      outside.close();
      inside.kill("SIGKILL");
    },
  };
}
