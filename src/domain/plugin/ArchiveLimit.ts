/** What the archive of a plugin may be, and why one is refused. */

/** Bytes of an archive. The database holds this limit, too. */
export const archiveMax = 50 * 1024 * 1024

/** Files and directories of an archive. */
export const entriesMax = 2048

/** Bytes of a file, and of all files together, when they are unpacked. */
export const fileMax = 50 * 1024 * 1024
export const filesMax = 200 * 1024 * 1024

/** How many times larger than in the archive a file may be, unless it is small. */
export const ratioMax = 250
export const smallMax = 1024 * 1024

/** Bytes of the whole name of a file, and of each of its parts; and how many parts it has. */
export const nameMax = 1024
export const partMax = 255
export const depthMax = 32

export const archiveRefusals = [
  "size",
  "format",
  "entries",
  "zip64",
  "outside",
  "overlap",
  "headers",
  "encryption",
  "method",
  "name",
  "duplicate",
  "special",
  "file-size",
  "ratio",
  "contents",
  "manifest-missing",
  "manifest-size"
] as const
export type ArchiveRefusal = (typeof archiveRefusals)[number]

/** What each refusal means, for people. */
export const archiveRefusalTexts: Readonly<Record<ArchiveRefusal, string>> = {
  size: "the archive is empty or too large",
  format: "the file is no zip archive, or a part of one",
  entries: "the archive has too many files",
  zip64: "the archive is of the form for archives of gigabytes",
  outside: "the archive has bytes that belong to no file",
  overlap: "files of the archive share bytes",
  headers: "the archive says different things of a file in two places",
  encryption: "a file is encrypted",
  method: "a file is compressed in a way other than deflate",
  name: "a file has a name that leads elsewhere, is too long or is not in UTF-8",
  duplicate: "two files have the same name, or a file has that of a directory",
  special: "something is neither a file nor a directory",
  "file-size": "a file, or all together, are too large when they are unpacked",
  ratio: "a file is compressed far more than programs are",
  contents: "a file has another size or another checksum than the archive says, or cannot be unpacked",
  "manifest-missing": "no file is called manifest.json",
  "manifest-size": "the manifest is too large"
}
