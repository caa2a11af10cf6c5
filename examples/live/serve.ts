/** Serves the page: `npx node examples/live/serve.ts`. */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { rolldown } from "rolldown"

const here = import.meta.dirname

/** The program of the page in one file, with the typed client. */
const program = async (forum: string) => {
  const define = { "import.meta.env.FORUM_URL": JSON.stringify(forum) }
  const bundle = await rolldown({ input: join(here, "page.js"), platform: "browser", transform: { define } })
  const { output } = await bundle.generate({ format: "esm", minify: true })
  await bundle.close()
  return output[0].code
}

const html = readFileSync(join(here, "index.html"))

/** Serves the page at a port, for the forum at an address. */
export const serve = async (port: number, forum: string) => {
  const script = await program(forum)
  const server = createServer(({ url }, response) => {
    if (url === "/") response.setHeader("content-type", "text/html; charset=utf-8").end(html)
    else if (url === "/page.js") response.setHeader("content-type", "text/javascript").end(script)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(port, "localhost", resolve))
  return server
}

if (process.argv[1] === import.meta.filename) {
  const { FORUM_URL = "http://localhost:8000", PORT = "3000" } = process.env
  await serve(Number(PORT), FORUM_URL)
  process.stdout.write(`The page is at http://localhost:${PORT}\n`)
}
