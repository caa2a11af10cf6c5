/**
 * How the texts that contain a term are found, which is the one choice that the planner cannot make well: it does
 * not know how often a term occurs lately. Pure.
 */

import { searchKey } from "../../domain/text/SearchText.ts"

/** Where a term is looked for. */
export type Place = "title" | "body"

/** How many of the newest titles and bodies are looked at first. */
export const sampleSize: { readonly [_ in Place]: number } = { title: 200, body: 1000 }

/** A look at the newest texts that fulfil the other conditions: how many there were, and how many contain the term. */
export interface Sample {
  readonly looked: number
  readonly found: number
}

/**
 * - `newest`: look at one text after the other, the newest first, until there are enough.
 * - `indexed`: find all texts by an index, then take the newest.
 */
export type Way = "newest" | "indexed"

// With five hundred results wanted of a million texts, both ways take about as long for a term that one in a hundred
// contains: an index finds ten thousand texts and some that only resemble them, and each of these takes about four
// times as long as one in the order of time. There are fewer titles, so that both take as long for a commoner term.
const commonOneIn: { readonly [_ in Place]: number } = { title: 33, body: 100 }

export const decideWay = (place: Place, { found, looked }: Sample, isIndexed: boolean): Way =>
  !isIndexed || looked < sampleSize[place] || found * commonOneIn[place] >= looked ? "newest" : "indexed"

// What any version of pg_trgm makes a trigram of, in any locale that knows the letters.
const trigram = /[\p{L}\p{N}]{3}/u

/** Whether the index of trigrams narrows what contains a term. */
export const hasTrigram = (term: string): boolean => trigram.test(searchKey(term))
