/**
 * Which user PostgreSQL's programs run as.
 *
 * PostgreSQL refuses to run as root. When root starts the service, the programs run in a user namespace: inside it
 * they have an ordinary user id, but their file access is that of root, so every file can stay where it is. Where
 * namespaces are forbidden, as in many containers, the programs run as an unprivileged account of the system.
 */
import { spawnSync } from "node:child_process"
import { dirname } from "node:path"
import { readText } from "./Files.ts"

export type Strategy = "self" | "namespace" | "system-user"

export interface SystemAccount {
  readonly uid: number
  readonly gid: number
}

export type RunAs =
  | { readonly strategy: "self" }
  | { readonly strategy: "namespace" | "system-user"; readonly account: SystemAccount }

/** The arguments of `child_process.spawn`. */
export interface SpawnArguments {
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv } & Partial<SystemAccount>
}

const inherited = ["SystemRoot", "TEMP", "LD_LIBRARY_PATH", "NIX_LD", "NIX_LD_LIBRARY_PATH"]

/**
 * The environment of the programs. It has no secrets, and no `PG*` or locale variables, which would change what initdb
 * and postgres do.
 */
const environment: NodeJS.ProcessEnv = {
  ...Object.fromEntries(inherited.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
  PATH: `${process.env.PATH ?? ""}${process.platform === "win32" ? "" : ":/usr/bin:/bin:/usr/sbin:/sbin"}`,
  TZ: "UTC",
  LC_ALL: "C"
}

const mapped = ({ gid, uid }: SystemAccount) => ["--user", `--map-user=${uid}`, `--map-group=${gid}`, "--"]

const succeeds = (file: string, args: ReadonlyArray<string>, account?: SystemAccount) =>
  spawnSync(file, args, { cwd: "/", env: environment, stdio: "ignore", ...account }).status === 0

export const namespacesWork = (account: SystemAccount) =>
  process.platform === "linux" && succeeds("unshare", [...mapped(account), "true"])

const endingWithService = (signal: string) => {
  const wrapper = ["--pdeathsig", signal, "--"]
  return process.platform === "linux" && succeeds("setpriv", [...wrapper, "true"])
    ? ["setpriv", ...wrapper]
    : []
}

/**
 * How to spawn a program as the given user. On Linux the kernel sends `lastSignal` to the program when the service
 * has ended, in whatever way.
 */
export const spawnArguments = (
  runAs: RunAs,
  lastSignal: "INT" | "KILL",
  program: string,
  args: ReadonlyArray<string>
): SpawnArguments => {
  // initdb and postgres need a readable working directory; the one of the service may not be readable for them.
  const options = { cwd: dirname(program), env: environment }
  const user = runAs.strategy === "system-user" ? { uid: runAs.account.uid, gid: runAs.account.gid } : {}
  const wrapped = [
    ...(runAs.strategy === "namespace" ? ["unshare", ...mapped(runAs.account)] : []),
    // This comes last because the kernel clears the setting when a process changes its user.
    ...endingWithService(lastSignal)
  ]
  const [file = program, ...rest] = [...wrapped, program, ...args]
  return { file, args: rest, options: { ...options, ...user } }
}

/** Whether an account can enter a directory or execute a program, tested by doing it. */
export const canReach = (account: SystemAccount, path: string) =>
  succeeds("/bin/sh", ["-c", 'test -x "$1"', "sh", path], account)

/** An unprivileged account that has a name, which initdb requires. */
export const unprivilegedAccount = (): SystemAccount | undefined => {
  const accounts = (readText("/etc/passwd") ?? "").split("\n").map((line) => line.split(":"))
  const candidates = ["postgres", "_postgres", "nobody", "daemon"].flatMap((wanted) =>
    accounts
      .filter(([name, , uid]) => name === wanted && Number(uid) > 0)
      .map(([, , uid, gid]) => ({ uid: Number(uid), gid: Number(gid) }))
  )
  return candidates[0]
}
