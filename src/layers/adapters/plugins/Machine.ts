/** Finds what of the machine plugins may see. */
import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs"
import { delimiter, dirname, isAbsolute, join, relative, resolve } from "node:path"
import { type Machine, seenAt } from "./Sandbox.ts"

const directories = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/nix/store",
  "/gnu/store"
]

const links = ["/run/current-system"]

// What is said there of the machine is known to every program, and no secret.
const etcFiles = [
  "host.conf",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "mime.types",
  "nsswitch.conf",
  "protocols",
  "resolv.conf",
  "services",
  "timezone"
]

// Without the keys beside the certificates.
const etcDirectories = ["alternatives", "ca-certificates", "pki/ca-trust", "pki/tls/certs", "ssl/certs"]

const inEtc = (names: ReadonlyArray<string>) => names.map((name) => join("/etc", name)).filter(existsSync)

const kindOf = (path: string) => {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) return "link"
  return found?.isDirectory() ? "directory" : "other"
}

const isWithin = (path: string, directory: string) => {
  const way = relative(directory, path)
  return !way.startsWith("..") && !isAbsolute(way)
}

const isSeen = (path: string) => [...directories, ...links].some((directory) => isWithin(path, directory))

export const makeMachine = (root: string, dataDir: string): Machine => {
  const top = directories.map((path) => ({ path, kind: kindOf(path) }))
  const linked = [...top.filter(({ kind }) => kind === "link").map(({ path }) => path), ...links]
  const own = [dataDir, process.cwd()].filter(existsSync).map((path) => realpathSync(path))
  return {
    directories: top.filter(({ kind }) => kind === "directory").map(({ path }) => path),
    links: linked.filter((path) => kindOf(path) === "link").map((path) => ({ path, to: readlinkSync(path) })),
    etcFiles: inEtc(etcFiles),
    etcDirectories: inEtc(etcDirectories),
    // The data of the service, and where it was started: there may be its settings.
    hidden: [...new Set(own)].filter((path) =>
      directories.some((directory) => path !== directory && isWithin(path, directory))
    ),
    node: realpathSync(process.execPath),
    listener: join(import.meta.dirname, "listening.js"),
    root: resolve(root)
  }
}

const ofTheSystem = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]

/** Where the programs are that keep plugins apart. */
export const pathOfService = (): string => [process.env.PATH ?? "", ...ofTheSystem].join(delimiter)

/** Where a plugin looks for programs that sees the whole machine. */
export const pathUnboxed = (): string => [dirname(process.execPath), pathOfService()].join(delimiter)

/** Where a plugin in a box looks for programs. */
export const pathBoxed = (): string =>
  [
    seenAt.programs,
    ...pathOfService()
      .split(delimiter)
      .filter((one) => isAbsolute(one) && isSeen(one))
  ].join(delimiter)
