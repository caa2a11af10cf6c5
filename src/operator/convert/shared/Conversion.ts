/** What a converter of one program is made of. */
import type { importedKinds, Kind } from "../../../domain/exchange/Kinds.ts"
import type { Scratch } from "./Scratch.ts"

export interface Options {
  /** Whether categories are taken over that not everybody may read. */
  readonly withRestricted: boolean
  /** The directory of files that people uploaded, where the source does not have them. */
  readonly uploads?: string
  /** Where the old forum answers, where the source does not say so. */
  readonly address?: string
}

/** What is read, and where it is kept. */
export interface Reading {
  readonly source: string
  readonly options: Options
  readonly scratch: Scratch
  readonly signal: AbortSignal
  /** Is told how many bytes of the source were read. */
  readonly told: (bytes: number) => void
  /** Is told what of the source is read from now on. */
  readonly entering: (what: string) => void
}

export type KindName = Kind | Exclude<keyof typeof importedKinds, "left_out">

/** The records of each kind, in their order, and what they say of the whole. */
export interface Converted {
  readonly title: string
  readonly address: string | undefined
  readonly records: Partial<Readonly<Record<KindName, () => Iterable<object>>>>
}

/** What tells a source from others, and how long it is, if that is known. */
export interface Identity {
  readonly facts: ReadonlyArray<string | number>
  readonly size?: number
}

export interface Program {
  readonly name: string
  /** Tells sources apart; those that are no files. */
  readonly identify?: (source: string) => Promise<Identity>
  /** Reads all of the source, going on where an earlier run has ended. */
  readonly read: (reading: Reading) => Promise<void>
  readonly convert: (scratch: Scratch, options: Options, source: string) => Converted
}
