/** Which operations agents call as tools, over the Model Context Protocol. */
import { Context } from "effect"

/** What an operation declares of a tool that it is. Its arguments, answers and most hints follow from the operation. */
export interface AgentTool {
  readonly name: string
  /** What people are shown; the summary of the operation where absent. */
  readonly title?: string
  /** What agents are told before the description of the operation. */
  readonly hint?: string
  /** Whether a call can remove or replace something; what only reads never does. */
  readonly isDestructive?: boolean
  /** Whether the same call again changes nothing more; what only reads never changes anything. */
  readonly isIdempotent?: boolean
  /** Whether a call reaches out to other services. */
  readonly isOpenWorld?: boolean
  /** Query parameters that are no arguments: they always have these values, or are never sent. */
  readonly fixed?: Readonly<Record<string, string | undefined>>
  /** The argument that is the whole body, where that has no fields. */
  readonly body?: string
  /** The fields of the answer that the tool shows; all of them where absent. */
  readonly shows?: ReadonlyArray<string>
}

/** The tools that an endpoint is; most are none. */
export const AgentTools = Context.Reference<ReadonlyArray<AgentTool>>("forum/http/AgentTools", {
  defaultValue: () => []
})
