/** What a text of another program needs to know of the things that it names. */

import type { Rule } from "../shared/Rules.ts"

export interface Environment {
  /** The id of the account that is called so. */
  readonly findPerson: (name: string) => string | undefined
  /** What leads to a post of a topic, by the numbers that the program gave them. */
  readonly findPost: (topic: string, post: string) => string | undefined
  /** What an address of the old forum is here; none for what is elsewhere. */
  readonly findAddress: (address: string) => string | undefined
  /** Says what of the text is not taken over. */
  readonly tell: (rule: Rule) => void
  readonly nestingMax: number
}

const isEnvironment = (value: unknown): value is Environment =>
  typeof value === "object" && value !== null && "findPerson" in value && "findAddress" in value

/** What was given to the renderer, which knows no type of it. */
export const environmentOf = (given: unknown): Environment => {
  if (!isEnvironment(given)) throw new Error("Texts are rendered with an environment")
  return given
}
