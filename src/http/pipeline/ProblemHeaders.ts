/** What problem responses say in headers, beside their bodies. */

/** What the headers of a problem depend on. `metadata` has its fields, whatever their values. */
interface Facts {
  readonly status: number
  readonly metadata: object
}

interface ProblemHeader {
  readonly name: string
  readonly description: string
  /** Whether the problem has the header. */
  readonly appliesTo: (problem: Facts) => boolean
  readonly valueFor: (problem: Facts, challenge: string) => string
}

const headers: ReadonlyArray<ProblemHeader> = [
  {
    name: "Retry-After",
    description: "When to try again: seconds to wait, or the date in `X-RateLimit-Reset`",
    appliesTo: ({ metadata }) => "retry_after" in metadata,
    valueFor: ({ metadata }) => {
      if ("resets_at" in metadata) return new Date(String(metadata.resets_at)).toUTCString()
      return "retry_after" in metadata ? String(metadata.retry_after) : ""
    }
  },
  {
    // RFC 9110, 15.5.16: what would be accepted instead.
    name: "Accept-Encoding",
    description: "The encodings of bodies that the service takes",
    appliesTo: ({ metadata }) => "content_encoding" in metadata,
    valueFor: () => "identity"
  },
  {
    // RFC 9110, 15.5.17: how long it is.
    name: "Content-Range",
    description: "The length of the file, as `bytes */1234`",
    appliesTo: ({ status }) => status === 416,
    valueFor: ({ metadata }) => ("size" in metadata ? `bytes */${metadata.size}` : "")
  },
  {
    // Required of every 401 (RFC 9110, 15.5.2).
    name: "WWW-Authenticate",
    description:
      "The scheme that programs authenticate with, where they read how to get a token (RFC 9728), and whether the one that they sent is not valid (RFC 6750); browsers use the session cookie",
    appliesTo: ({ status }) => status === 401,
    valueFor: (_, challenge) => challenge
  }
]

/** The headers that a problem has. */
export const headersFor = (problem: Facts): ReadonlyArray<ProblemHeader> =>
  headers.filter(({ appliesTo }) => appliesTo(problem))
