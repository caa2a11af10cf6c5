/**
 * As whom PostgreSQL's programs run.
 *
 * PostgreSQL refuses to run as root. Started by root they run in a user namespace: there they are an
 * ordinary user, while for files they remain root, so that everything can stay where it is. Where namespaces
 * are forbidden, as in many containers, an unprivileged account of the system has to do.
 */
import { spawnSync } from "node:child_process"
import { dirname } from "node:path"
import { readText } from "./Files.ts"

export type Strategy = "self" | "namespace" | "system-user"

export interface Account {
  readonly uid: number
  readonly gid: number
}

export type RunAs =
  | { readonly strategy: "self" }
  | { readonly strategy: "namespace" | "system-user"; readonly account: Account }

export interface Command {
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv } & Partial<Account>
}

const inherited = ["SystemRoot", "TEMP", "LD_LIBRARY_PATH", "NIX_LD", "NIX_LD_LIBRARY_PATH"]

/** No `PG*` or locale settings of the operator, which initdb and postgres would obey, and no secrets. */
const environment: NodeJS.ProcessEnv = {
  ...Object.fromEntries(inherited.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
  PATH: `${process.env.PATH ?? ""}${process.platform === "win32" ? "" : ":/usr/bin:/bin:/usr/sbin:/sbin"}`,
  TZ: "UTC",
  LC_ALL: "C"
}

const mapped = ({ gid, uid }: Account) => ["--user", `--map-user=${uid}`, `--map-group=${gid}`, "--"]

const succeeds = (file: string, args: ReadonlyArray<string>, account?: Account) =>
  spawnSync(file, args, { cwd: "/", env: environment, stdio: "ignore", ...account }).status === 0

export const namespacesWork = (account: Account) =>
  process.platform === "linux" && succeeds("unshare", [...mapped(account), "true"])

const boundToService = (signal: string) => {
  const wrapper = ["--pdeathsig", signal, "--"]
  return process.platform === "linux" && succeeds("setpriv", [...wrapper, "true"])
    ? ["setpriv", ...wrapper]
    : []
}

/**
 * The command line that runs a program as someone. Where the kernel can, it sends `lastSignal` to the program
 * when the service is gone.
 */
export const commandAs = (
  runAs: RunAs,
  lastSignal: "INT" | "KILL",
  program: string,
  args: ReadonlyArray<string>
): Command => {
  // initdb and postgres want a readable working directory, and the service's own may be out of reach.
  const options = { cwd: dirname(program), env: environment }
  const user = runAs.strategy === "system-user" ? { uid: runAs.account.uid, gid: runAs.account.gid } : {}
  const wrapped = [
    ...(runAs.strategy === "namespace" ? ["unshare", ...mapped(runAs.account)] : []),
    // Innermost: the kernel forgets the signal when a process changes its user.
    ...boundToService(lastSignal)
  ]
  const [file = program, ...rest] = [...wrapped, program, ...args]
  return { file, args: rest, options: { ...options, ...user } }
}

/** Whether an account may enter a directory or run a program, asked of the system itself. */
export const canReach = (account: Account, path: string) =>
  succeeds("/bin/sh", ["-c", 'test -x "$1"', "sh", path], account)

/** An unprivileged account that the system knows by name; initdb insists on that. */
export const unprivilegedAccount = (): Account | undefined => {
  const accounts = (readText("/etc/passwd") ?? "").split("\n").map((line) => line.split(":"))
  const candidates = ["postgres", "_postgres", "nobody", "daemon"].flatMap((wanted) =>
    accounts
      .filter(([name, , uid]) => name === wanted && Number(uid) > 0)
      .map(([, , uid, gid]) => ({ uid: Number(uid), gid: Number(gid) }))
  )
  return candidates[0]
}
