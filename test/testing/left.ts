/** What forums of tests have on this machine: directories, who guards these, and servers. */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { tmpdir } from "node:os"

const processes = () => execFileSync("ps", ["-eo", "ppid,args"]).toString().split("\n")

/** Where forums write. */
const parents = ["/dev/shm", tmpdir()].filter((parent) => existsSync(parent))

/** The directories of the forums that a process runs. Other tests may run beside this one. */
export const directoriesOf = (pid: number): ReadonlyArray<string> => {
  const guards = processes().filter((line) => line.trim().startsWith(`${pid} `))
  return parents.flatMap((parent) =>
    readdirSync(parent)
      .filter((name) => name.startsWith("forum-testing-") && guards.some((line) => line.includes(name)))
      .map((name) => `${parent}/${name}`)
  )
}

/** What is left of directories: the files, and processes that have to do with them. */
export const leftOf = (directories: ReadonlyArray<string>): ReadonlyArray<string> => {
  const running = processes()
  return directories.flatMap((path) => [
    ...(existsSync(path) ? [path] : []),
    ...running.filter((line) => line.includes(path))
  ])
}

/** Waits a minute at most until nothing is left of directories, and answers what is. */
export const leftAfterAll = async (directories: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  for (let looks = 0; looks < 600 && leftOf(directories).length > 0; looks++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return leftOf(directories)
}
