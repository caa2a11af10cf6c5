/** The few file operations that the launcher needs beyond `node:fs`. */
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"

/** The text of a file; `undefined` when it does not exist or cannot be read. */
export const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

/** The user id that owns a path; `undefined` when it does not exist. */
export const ownerOf = (path: string) => (existsSync(path) ? statSync(path).uid : undefined)

const syncDirectory = (path: string) => {
  // Windows cannot open a directory, and does not need this call.
  if (process.platform === "win32") return
  const directory = openSync(path, "r")
  fsyncSync(directory)
  closeSync(directory)
}

/** Overwrites an existing file. Fails on a symbolic link, which an unprivileged owner may have put there. */
export const overwrite = (path: string, text: string) => {
  const file = openSync(path, constants.O_WRONLY | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0))
  writeFileSync(file, text, { flush: true })
  closeSync(file)
}

/** Renames so that after a power failure either the old or the new name exists. */
export const renameDurably = (from: string, to: string) => {
  renameSync(from, to)
  syncDirectory(dirname(to))
}

/** Writes a file that only its owner can read, completely or not at all. */
export const writePrivate = (path: string, text: string) => {
  writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true })
  renameDurably(`${path}.new`, path)
}

type Kind = "directory" | "link" | "file"

/** Visits everything below a directory and then the directory itself. Does not follow links. */
export const visitTree = (path: string, visit: (path: string, kind: Kind) => void) => {
  const entry = lstatSync(path)
  if (entry.isDirectory()) for (const name of readdirSync(path)) visitTree(join(path, name), visit)
  visit(path, entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "file")
}
