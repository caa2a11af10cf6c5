/**
 * The part of the machine that a plugin sees, as a script that makes it: in mounts and processes of its own, with the
 * programs of the system to read and its own directory to write. It runs as the first process there, and what it
 * starts last is the plugin, without any right over what was made. Pure.
 */

/** What is of the machine, as it was found. All paths are absolute. */
export interface Machine {
  /** Directories with programs and libraries, which are seen at the same place. */
  readonly directories: ReadonlyArray<string>
  /** Links that lead to them. */
  readonly links: ReadonlyArray<{ readonly path: string; readonly to: string }>
  /** Files of /etc that programs read, and directories there. */
  readonly etcFiles: ReadonlyArray<string>
  readonly etcDirectories: ReadonlyArray<string>
  /** Directories among all these that are hidden. */
  readonly hidden: ReadonlyArray<string>
  /** The Node that runs the service; plugins find it by its name. */
  readonly node: string
  /** The program that listens for the service. */
  readonly listener: string
  /** An empty directory, where what is seen is put together. */
  readonly root: string
}

export interface Box {
  /** The user and group that the plugin has there. */
  readonly uid: number
  readonly directory: string
  readonly temporary: string
  /** Whether it has a network of its own, and the ports of 127.0.0.1 at which the service listens there. */
  readonly network: boolean
  readonly ports: ReadonlyArray<number>
  readonly path: string
}

/** Where a plugin finds its directory, and Node. */
export const seenAt = { directory: "/plugin", temporary: "/tmp", programs: "/forum" } as const

export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const below = (path: string) => quote(path.slice(1))

/** Shows something at another place, with fewer rights. */
const show = (from: string, at: string, options: string) => [
  `mount --rbind ${quote(from)} ${at}`,
  `mount -o remount,bind,${options} ${at}`
]

const showDirectory = (path: string) => [
  `mkdir -p ${below(path)}`,
  ...show(path, below(path), "ro,nosuid,nodev")
]

const showFile = (from: string, at: string, options: string) => [`: > ${at}`, ...show(from, at, options)]

const link = ({ path, to }: { path: string; to: string }) => [
  `mkdir -p "$(dirname ${below(path)})"`,
  `ln -s ${quote(to)} ${below(path)}`
]

const devices = ["null", "zero", "full", "random", "urandom"]

const etcOf = ({ etcDirectories, etcFiles }: Machine, { uid }: Box) => [
  // Programs ask for the name and the directory of their user.
  `echo ${quote(`plugin:x:${uid}:${uid}::${seenAt.directory}:/bin/sh`)} > etc/passwd`,
  `echo ${quote(`plugin:x:${uid}:`)} > etc/group`,
  `echo ${quote("127.0.0.1 localhost")} > etc/hosts`,
  ...(etcFiles.length === 0 ? [] : [`cp -rL ${etcFiles.map(quote).join(" ")} etc`]),
  ...etcDirectories.flatMap(showDirectory)
]

const networkOf = ({ listener, node }: Machine, { network, ports }: Box) => [
  ...(network ? ["ip link set lo up"] : []),
  ...(ports.length > 0 ? [[node, listener, ...ports.map(String)].map(quote).join(" ")] : [])
]

/** The script. Its arguments are the command of the plugin. */
export const scriptOf = (machine: Machine, box: Box): string =>
  [
    "set -e",
    "umask 022",
    `mount -t tmpfs -o size=8m,mode=755,nosuid,nodev forum ${quote(machine.root)}`,
    `cd ${quote(machine.root)}`,
    "mkdir old again proc dev dev/shm etc tmp plugin forum",
    ...machine.directories.flatMap(showDirectory),
    ...machine.links.flatMap(link),
    ...etcOf(machine, box),
    ...devices.flatMap((name) => [`: > dev/${name}`, `mount --bind /dev/${name} dev/${name}`]),
    "ln -s /proc/self/fd dev/fd",
    "mount -t tmpfs -o size=16m,mode=1777,nosuid,nodev forum dev/shm",
    "mount -t proc -o nosuid,nodev,noexec proc proc",
    // Some of what is set there belongs to whoever made the namespaces.
    ...show("proc/sys", "proc/sys", "ro,nosuid,nodev,noexec"),
    ...showFile(machine.node, "forum/node", "ro,nosuid,nodev"),
    `mount --rbind ${quote(box.directory)} plugin`,
    `mount --rbind ${quote(box.temporary)} tmp`,
    ...machine.hidden.map((path) => `mount -t tmpfs -o size=4k,mode=0,ro forum ${below(path)}`),
    ...networkOf(machine, box),
    "unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE",
    `mount -o remount,bind,ro,nosuid,nodev ${quote(machine.root)}`,
    "pivot_root . old",
    "cd /",
    "umount -l old",
    `PATH=${quote(box.path)}`,
    // In a root that is not that of the mounts, nobody can make a user namespace, and have rights over it.
    "mount --rbind / again",
    "set +e",
    `chroot /again /bin/sh -c 'cd ${seenAt.directory} && unset OLDPWD && exec "$@"' sh "$@" 3>&-`,
    "exit $?"
  ].join("\n")
