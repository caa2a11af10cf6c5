/** Posts whose text is too long for the answer that shows them. Pure. */
import { RichText } from "../shared/RichText.ts"
import type { Post } from "./Post.ts"

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/** A body that shows a post's description and nothing else. */
export const excerptOf = (description: string): RichText => {
  const text = description.replace(/[&<>]/g, (character) => escapes[character] ?? character)
  return RichText.make(text === "" ? "<body></body>" : `<body><p>${text}</p></body>`)
}

/** The post with the beginning of its text, and without the links of the rest. */
export const shortened = (post: Post): Post => ({
  ...post,
  body: excerptOf(post.description),
  body_links: []
})
