/** What becomes of each column when an account is erased, as words. */

/** What a column that names accounts is, or has, once it is erased; and why other columns stay. */
export const fates = {
  row: "names an account, whose rows go",
  nobody: "names an account, and names nobody in its place",
  none: "names an account, and names none in its place",
  replaced: "a text of the service, in which the id of an account becomes that of nobody",
  special: "has a statement of its own",
  withRow: "goes with the row, which belongs to an account",
  content: "what people wrote: goes, or stays as of nobody, without links to the profile",
  id: "an id that the service made, of something other than an account",
  word: "one of a few words that the service knows",
  instance: "about the instance, chosen by those who run it or keep it",
  common: "names that all share, and pages of the web",
  program: "about programs, which are no persons",
  secret: "a key of the service itself",
  network: "counts what came from a network, whoever was there, and goes after a day at most",
  passing: "proves nothing about a person, and goes after minutes or hours"
} as const

export type Fate = keyof typeof fates

/** The columns of a table that hold text, JSON or bytes, by what becomes of them. */
export type TableFates = Readonly<Partial<Record<Fate, ReadonlyArray<string>>>>

export type Fates = Readonly<Record<string, TableFates>>

/** Names of columns, as they are read. */
export const of = (names: string): ReadonlyArray<string> => names.split(" ")
