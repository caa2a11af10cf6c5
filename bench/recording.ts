/** Recorded statements, and how their parameters get from the service to a floor. */

export interface Recorded {
  readonly statements: ReadonlyArray<{ readonly text: string; readonly params: ReadonlyArray<unknown> }>
  /** The id of the thread that it was about. */
  readonly thread: string
  /** The id of what a write created; undefined for a read. */
  readonly created: string | undefined
}

/** A parameter as JSON. A fragment that stands for JSON has it as its value. */
export const portable = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString("hex") }
  if (typeof value === "bigint") return String(value)
  if (typeof value === "object" && value !== null && "value" in value) return JSON.stringify(value.value)
  return value
}

/** For `JSON.parse`: parameters as the driver takes them. */
export const revive = (_key: string, value: unknown) =>
  typeof value === "object" && value !== null && "$bytes" in value
    ? Buffer.from(String(value.$bytes), "hex")
    : value
