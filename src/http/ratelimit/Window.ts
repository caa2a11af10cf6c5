/**
 * What a client has used within a period that ends now: a sum over buckets of time, of which the oldest counts less
 * the more of it has left the period. Pure but for its own counts; whoever calls it brings the time.
 */

/** The most buckets in a period. More would take memory for a precision that nobody sees. */
const bucketsMax = 120

export interface Shape {
  /** How long something counts, in milliseconds. */
  readonly period: number
  /** How long one bucket is, in milliseconds. */
  readonly bucket: number
  /** How many buckets are as long as the period. */
  readonly buckets: number
}

/** Buckets of about so many seconds, so that a whole number of them is the period. */
export const shapeOf = (periodSeconds: number, bucketSeconds: number): Shape => {
  const buckets = Math.min(Math.ceil(periodSeconds / bucketSeconds), bucketsMax)
  const period = periodSeconds * 1000
  return { period, bucket: period / buckets, buckets }
}

/** The number of a bucket since 1970, and how much was counted in it. */
export type BucketCount = readonly [bucket: number, count: number]

const countMax = 0xffff_ffff

/** Parts of counts are rounded, so numbers that differ by less than this count as equal. */
const rounding = 1e-6

export class Window {
  readonly shape: Shape
  /** A ring; the bucket `number` is at `number` modulo its length, which is one more than a period has. */
  readonly #counts: Uint32Array
  /** What others have not been told, in the same buckets. */
  readonly #untold: Uint32Array | undefined
  #last: number
  #sum = 0

  constructor(shape: Shape, now: number, isShared = false) {
    this.shape = shape
    this.#counts = new Uint32Array(shape.buckets + 1)
    this.#untold = isShared ? new Uint32Array(shape.buckets + 1) : undefined
    this.#last = Math.floor(now / shape.bucket)
  }

  #slotOf(bucket: number): number {
    return bucket % this.#counts.length
  }

  /** Forgets what has left the period. */
  #advance(now: number) {
    const bucket = Math.floor(now / this.shape.bucket)
    const passed = bucket - this.#last
    // A clock that is corrected by a little may return to the bucket before.
    if (passed === 0 || passed === -1) return
    if (passed < 0 || passed >= this.#counts.length) {
      this.#counts.fill(0)
      this.#untold?.fill(0)
      this.#sum = 0
    } else {
      for (let number = this.#last + 1; number <= bucket; number++) {
        const slot = this.#slotOf(number)
        this.#sum -= this.#counts[slot] ?? 0
        this.#counts[slot] = 0
        if (this.#untold !== undefined) this.#untold[slot] = 0
      }
    }
    this.#last = bucket
  }

  /** How much of the current bucket is over, and so how much of the oldest one does not count any more. */
  #passedOf(now: number): number {
    const { bucket } = this.shape
    const passed = (now - this.#last * bucket) / bucket
    return Math.min(1, Math.max(0, passed))
  }

  /** What has been used. */
  total(now: number): number {
    this.#advance(now)
    const oldest = this.#counts[this.#slotOf(this.#last + 1)] ?? 0
    return this.#sum - oldest * this.#passedOf(now)
  }

  /** Counts something, and answers the total with it. */
  add(cost: number, now: number): number {
    const before = this.total(now)
    const slot = this.#slotOf(this.#last)
    const had = this.#counts[slot] ?? 0
    const has = Math.min(countMax, had + cost)
    this.#counts[slot] = has
    this.#sum += has - had
    if (this.#untold !== undefined) {
      this.#untold[slot] = Math.min(countMax, (this.#untold[slot] ?? 0) + cost)
    }
    return before + has - had
  }

  /** The time after which the total is less than `most` if nothing is added, in milliseconds since 1970. */
  belowFrom(most: number, now: number): number {
    const { bucket, buckets } = this.shape
    let excess = this.total(now) - most
    if (excess < 0) return now
    for (let number = this.#last - buckets; number <= this.#last; number++) {
      // A bucket leaves evenly during the one that is a period later.
      const begins = (number + buckets) * bucket
      const from = Math.max(begins, now)
      const count = this.#counts[this.#slotOf(number)] ?? 0
      const leaving = count * Math.min(1, (begins + bucket - from) / bucket)
      if (leaving > excess + rounding) return from + (excess / leaving) * (begins + bucket - from)
      excess -= leaving
    }
    return this.emptyFrom
  }

  /** When nothing of what has been used by now counts any more, in milliseconds since 1970. */
  get emptyFrom(): number {
    return (this.#last + this.shape.buckets + 1) * this.shape.bucket
  }

  /** Takes what was counted since the last call, to tell it to others. */
  takeUntold(): ReadonlyArray<BucketCount> {
    const found: Array<BucketCount> = []
    if (this.#untold === undefined) return found
    for (let number = this.#last - this.shape.buckets; number <= this.#last; number++) {
      const slot = this.#slotOf(number)
      const count = this.#untold[slot] ?? 0
      if (count > 0) found.push([number, count])
      this.#untold[slot] = 0
    }
    return found
  }

  #isKept(bucket: number): boolean {
    return bucket <= this.#last && bucket >= this.#last - this.shape.buckets
  }

  /** Puts back counts that were taken for others and could not be told. */
  putBack(counts: ReadonlyArray<BucketCount>) {
    for (const [bucket, count] of counts) {
      const slot = this.#slotOf(bucket)
      if (this.#untold !== undefined && this.#isKept(bucket)) {
        this.#untold[slot] = Math.min(countMax, (this.#untold[slot] ?? 0) + count)
      }
    }
  }

  /**
   * Takes over what all instances have counted, which includes what was told. Where it is less than was known here, the
   * higher count is kept.
   */
  takeOver(counts: ReadonlyArray<BucketCount>) {
    const all = new Map(counts)
    this.#sum = 0
    for (let number = this.#last - this.shape.buckets; number <= this.#last; number++) {
      const slot = this.#slotOf(number)
      const known = this.#counts[slot] ?? 0
      const count = Math.min(countMax, Math.max(known, (all.get(number) ?? 0) + (this.#untold?.[slot] ?? 0)))
      this.#counts[slot] = count
      this.#sum += count
    }
  }
}
