import type { IncomingMessage } from "node:http"

/** Why the application does not answer a request. */
export type Fault =
  /** There is no room for more bodies, connections or responses. */
  | { readonly reason: "capacity"; readonly exceeded: "bodies" | "connections" | "responses" }
  /** The body of the request is compressed. */
  | { readonly reason: "encoding"; readonly encoding: string }
  | {
      readonly reason: /** The request says `Expect` with anything but `100-continue`. */
        | "expectation"
        /** The body of the request arrives in too many parts. */
        | "fragmented"
        /** The headers of the request are too large. */
        | "headers"
        /** Node does not know the method of the request. */
        | "method"
        /** The request arrives more slowly than it may. */
        | "slow"
        /** No application listens: not yet, or no more. */
        | "stopping"
        /** The request is not proper HTTP. */
        | "unreadable"
    }

/** What the client is told. The headers for the length and the end of the connection are added. */
export interface Explanation {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Puts a fault into words, in the format of the application's own failures. The request is given where there is one. */
export type Explain = (fault: Fault, request?: IncomingMessage) => Explanation
