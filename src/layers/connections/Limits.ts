const mebibyte = 1024 * 1024

/** What all connections of a process may take together, and how long. */
export const defaultLimits = {
  connections: 5000,
  /** Connections beyond those, which are told that there are too many. More are closed without an answer. */
  refused: 500,
  /** Connections that speak another protocol, which are counted apart. */
  upgraded: 300,
  /** Requests that were read together with an unanswered one, of all connections: about 5 KB each. */
  waitingRequests: 10_000,
  /** Request bodies in memory. */
  bodyBytes: 64 * mebibyte,
  /** Responses that clients have not taken. */
  responseBytes: 128 * mebibyte,
  /** How long a body or a response may take, in milliseconds, while there is no room for others. */
  patience: 5000,
  /** How long a connection may be without a request, in milliseconds, while there is no room for others. */
  idle: 1000,
  /** How long every mebibyte of a body may take, in milliseconds. */
  pace: 25_000,
  /** How often slow connections are looked for, in milliseconds. */
  lookEvery: 2000
}
export type Limits = typeof defaultLimits
