import { reaction } from "../thread/ThreadExamples.ts"

export const newReaction = { emoji: reaction.emoji } as const
