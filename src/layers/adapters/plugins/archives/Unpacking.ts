/** Writes the files of an archive into a directory, which has all of them or does not exist. */
import { createHash, randomBytes } from "node:crypto"
import { chmod, mkdir, open, readdir, readFile, rename, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import type { ZipFile } from "yauzl"
import type { Planned } from "../../../../domain/plugin/ArchiveRules.ts"
import { makeDirectory } from "../../../../persistence/shared/makeDirectory.ts"
import { removeTree } from "../removeTree.ts"
import { contentsOf, markerName } from "./ZipContents.ts"
import type { ReadEntry } from "./ZipDirectory.ts"

/** The SHA-256 of a file. */
export const hashOfFile = async (path: string, signal: AbortSignal): Promise<Uint8Array> => {
  const hash = createHash("sha256")
  const file = await open(path)
  for await (const part of file.createReadStream()) {
    signal.throwIfAborted()
    hash.update(part)
  }
  return new Uint8Array(hash.digest())
}

/** Whether a directory has the files of the archive with this hash. */
export const isUnpacked = async (directory: string, hash: string): Promise<boolean> => {
  try {
    return (await readFile(join(directory, markerName), "utf8")) === hash
  } catch {
    return false
  }
}

const writeContents = async (
  zip: ZipFile,
  { entry, path, permissions }: Planned<ReadEntry>,
  root: string,
  signal: AbortSignal
) => {
  const file = await open(join(root, ...path), "wx", 0o600)
  try {
    await file.writeFile(contentsOf(zip, entry, signal))
    // Whatever the process would take away of permissions.
    await file.chmod(permissions)
  } finally {
    await file.close()
  }
}

/** All directories of a plan, those before others that are in them. */
const directoriesOf = (plan: ReadonlyArray<Planned<ReadEntry>>): ReadonlyArray<string> => {
  const directories = plan.flatMap(({ kind, path }) =>
    [...path.keys()]
      .filter((depth) => kind === "directory" || depth < path.length - 1)
      .map((depth) => join(...path.slice(0, depth + 1)))
  )
  return [...new Set(directories)].sort((one, other) => one.length - other.length)
}

const writeAll = async (
  zip: ZipFile,
  plan: ReadonlyArray<Planned<ReadEntry>>,
  root: string,
  signal: AbortSignal
) => {
  for (const directory of directoriesOf(plan)) await mkdir(join(root, directory), { mode: 0o755 })
  for (const planned of plan) if (planned.kind === "file") await writeContents(zip, planned, root, signal)
  for (const { kind, path, permissions } of plan) {
    // The service has to be able to remove what is in it.
    if (kind === "directory") await chmod(join(root, ...path), permissions | 0o700)
  }
}

/** Removes what was left beside a directory when the service ended while it unpacked. */
const removeLeft = async (directory: string) => {
  const parent = dirname(directory)
  const left = (await readdir(parent)).filter((name) => name.startsWith(`${basename(directory)}.`))
  for (const name of left) await removeTree(join(parent, name))
}

/** Writes the files, and then puts them in the place of what is there. */
export const writeArchive = async (
  zip: ZipFile,
  plan: ReadonlyArray<Planned<ReadEntry>>,
  directory: string,
  hash: string,
  signal: AbortSignal
): Promise<void> => {
  await makeDirectory(dirname(directory), 0o700)
  await removeLeft(directory)
  const beside = `${directory}.${randomBytes(8).toString("hex")}`
  const [written, replaced] = [`${beside}.new`, `${beside}.old`] as const
  try {
    await mkdir(written, { mode: 0o700 })
    await writeAll(zip, plan, written, signal)
    await writeFile(join(written, markerName), hash, { flag: "wx", mode: 0o600 })
    await rename(directory, replaced).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error
    })
    await rename(written, directory)
  } finally {
    await removeTree(written)
    await removeTree(replaced)
  }
}
