/** Posts whose text is too long for the answer that shows them. Pure. */
import { RichText } from "../shared/RichText.ts"
import type { Post } from "./Post.ts"
import type { Reply } from "./Reply.ts"

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/** A body that shows a post's description and nothing else. */
export const excerptOf = (description: string): RichText => {
  const text = description.replace(/[&<>]/g, (character) => escapes[character] ?? character)
  return RichText.make(text === "" ? "<body></body>" : `<body><p>${text}</p></body>`)
}

/** The post with the beginning of its text, and without the links of the rest. */
export const shortened = <Shown extends Pick<Post, "description" | "body" | "body_links">>(
  post: Shown
): Shown => ({
  ...post,
  body: excerptOf(post.description),
  body_links: []
})

/** The reply likewise, and what it answers. */
export const shortenedReply = (reply: Reply): Reply => ({
  ...shortened(reply),
  ...(reply.reply_to === undefined ? {} : { reply_to: shortened(reply.reply_to) })
})
