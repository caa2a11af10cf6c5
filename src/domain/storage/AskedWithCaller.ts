/**
 * A question that storage answers together with who the caller is, in one round trip: the address of
 * some requests already says what they are about. Stores make it, and only storage reads it.
 */
export abstract class AskedWithCaller<out A> {
  /** The type of the answer; there is no such value. */
  declare readonly Answer: A
}
