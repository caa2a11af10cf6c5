/** Hands text messages over to the provider that the operator has set. */
import { Context, Data, type Effect } from "effect"
import type { TextMessageId } from "../shared/Id.ts"

export interface TextMessage {
  /** The id of the message: each try has the same one. */
  readonly id: TextMessageId
  /** The number that it goes to, in the form of E.164. */
  readonly to: string
  readonly text: string
}

/** The provider did not take a message. */
export class TextFailed extends Data.TaggedError("TextFailed")<{
  /** Why, for who runs the service: it names neither the number nor anything of the text. */
  readonly reason: string
  /** Whether the provider would say the same again. */
  readonly isFinal: boolean
}> {}

/** Sends one text to one number; undefined where the operator has set no provider. */
export class TextMessages extends Context.Service<
  TextMessages,
  { readonly send: (message: TextMessage) => Effect.Effect<void, TextFailed> } | undefined
>()("forum/domain/TextMessages") {}
