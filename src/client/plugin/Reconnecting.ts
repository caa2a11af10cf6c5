/** Whether and when a program connects again. Pure. */

/** What became of a connection, or of the attempt to get one. */
export interface Ending {
  /** Whether there was a connection. */
  readonly wasOpen: boolean
  /** What the service answered instead of a connection, where the platform tells it. */
  readonly status: number | undefined
  /** The code and the reason of the WebSocket (RFC 6455, 7.4). */
  readonly code: number
  readonly reason: string
}

/** Tokens of external plugins begin like this. All others are good for one connection. */
const externalPrefix = "sdprt_"

export const isExternal = (token: string): boolean => token.startsWith(externalPrefix)

/** Nothing would be different the next time: what was sent is refused, or the plugin may not connect. */
const finalCodes: ReadonlySet<number> = new Set([1003, 1007, 1008])

export const mayReconnect = (token: string, { code, status = 0 }: Ending): boolean =>
  isExternal(token) && !finalCodes.has(code) && !(status >= 400 && status < 500)

const firstMilliseconds = 250
export const longestMilliseconds = 10_000

/** How long to wait after so many attempts in a row of which none lasted. */
export const waitAfter = (attempts: number): number =>
  Math.min(firstMilliseconds * 2 ** attempts, longestMilliseconds)
