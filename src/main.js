/**
 * Starts the service, if this Node can run it. What comes before the rest is plain JavaScript: any Node can say that
 * it is too old, and one that keeps compiled code need not load what reads TypeScript.
 */
import { nodeRefusal } from "./layers/process/NodeVersion.js"

const refusal = nodeRefusal(process.version)
if (refusal === undefined) {
  const { keepCompiled } = await import("./layers/process/CompileCache.js")
  keepCompiled()
  await import("./service.ts")
} else {
  process.stderr.write(`${refusal}\n`)
  process.exitCode = 1
}
