import { open } from "node:fs/promises"

/** Writes a directory to disk, so that the name of a file in it survives a power failure, too. */
export const syncDirectory = async (path: string) => {
  // Windows cannot open a directory, and does not need this call.
  if (process.platform === "win32") return
  const directory = await open(path, "r")
  await directory.sync().finally(() => directory.close())
}
