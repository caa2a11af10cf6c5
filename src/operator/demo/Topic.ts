/** What a discussion of the demonstration is about. */
export interface Topic {
  readonly category: string
  readonly title: string
  readonly body: string
  readonly tags: ReadonlyArray<string>
  /** What may be said in reply, in this order; as many as a discussion gets to. */
  readonly replies: ReadonlyArray<string>
}

/** The value at an index; those beyond the end begin anew. */
export const at = <A>(list: ReadonlyArray<A>, index: number): A => {
  const found = list[index % list.length]
  if (found === undefined) throw new Error("An empty list has no entry")
  return found
}
