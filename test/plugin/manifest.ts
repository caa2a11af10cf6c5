/** A manifest with nothing but what there has to be. */
export const least = {
  id: "hello",
  name: "Hello",
  author: "odin",
  description: "Says hello",
  version: "1.0.0",
  command: "./hello"
}
