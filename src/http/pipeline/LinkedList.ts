/** The place of a value in a list. */
export interface Entry<out A> {
  readonly value: A
  readonly isIn: boolean
}

interface Link<A> extends Entry<A> {
  isIn: boolean
  previous: Link<A> | undefined
  next: Link<A> | undefined
}

/**
 * Values in the order in which they were added, each removed in constant time. For what comes and goes with every
 * request: a `Set` would leave old tables behind that refer to newer ones, by which V8 keeps all that they held until
 * its next full collection.
 */
export class LinkedList<in out A> {
  #first: Link<A> | undefined
  #last: Link<A> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): Entry<A> | undefined {
    return this.#first
  }

  /** Adds a value behind the others. */
  add(value: A): Entry<A> {
    const link: Link<A> = { value, isIn: true, previous: this.#last, next: undefined }
    if (this.#last === undefined) this.#first = link
    else this.#last.next = link
    this.#last = link
    this.#size += 1
    return link
  }

  /** Removes an entry of this list; false if it was removed before. */
  remove(entry: Entry<A>): boolean
  remove(link: Link<A>): boolean {
    if (!link.isIn) return false
    if (link.previous === undefined) this.#first = link.next
    else link.previous.next = link.next
    if (link.next === undefined) this.#last = link.previous
    else link.next.previous = link.previous
    link.isIn = false
    link.previous = undefined
    link.next = undefined
    this.#size -= 1
    return true
  }

  /** All values as of now. */
  values(): ReadonlyArray<A> {
    const values: Array<A> = []
    for (let link = this.#first; link !== undefined; link = link.next) values.push(link.value)
    return values
  }
}
