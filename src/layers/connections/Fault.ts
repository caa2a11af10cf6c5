import type { IncomingMessage } from "node:http"

/** Why the application does not answer a request. */
export type Fault =
  /** There is no room for more of these. */
  | { readonly reason: "capacity"; readonly exceeded: "bodies" | "connections" | "responses" }
  /** The body is compressed. */
  | { readonly reason: "encoding"; readonly encoding: string }
  | {
      readonly reason: /** It says `Expect` with anything but `100-continue`. */
        | "expectation"
        /** Its body arrives in too many parts. */
        | "fragmented"
        /** Its headers are too large. */
        | "headers"
        /** Node does not know its method. */
        | "method"
        /** It arrives more slowly than it may. */
        | "slow"
        /** No application listens: not yet, or no more. */
        | "stopping"
        /** It is not proper HTTP. */
        | "unreadable"
    }

/** What the client is told. Length and end of the connection are added. */
export interface Explanation {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Puts a fault into words, in the format of the application's own failures. The request is given where there is one. */
export type Explain = (fault: Fault, request?: IncomingMessage) => Explanation
