/**
 * A question that storage answers together with who the caller is, in one round trip: the address of
 * some requests already says what they are about. Stores make companions, and only storage reads them.
 */
export abstract class Companion<out A> {
  /** The type of the answer; there is no such value. */
  declare readonly Answer: A
}
