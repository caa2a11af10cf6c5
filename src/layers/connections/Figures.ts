/** Why a request was refused, or a connection closed, before or apart from the application. */
export type Refusal =
  | "bodies"
  | "connections"
  | "fragmented_body"
  | "invalid_http"
  | "pipelined"
  | "responses"
  | "slow_reader"
  | "slow_sender"
  | "unwanted_body"

/** What is counted about the connections of a server. */
export interface Figures {
  /** Those that have changed their protocol, too. */
  readonly connections: number
  readonly requestsInProgress: number
  readonly requestsWaiting: number
  readonly bodyBytes: number
  readonly responseBytes: number
  /** How often something was refused, since the start. */
  readonly refusals: ReadonlyMap<Refusal, number>
}
