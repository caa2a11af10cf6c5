/** Starts the service, if this Node can run it. What an older one does not have is imported by the rest. */
import { nodeRefusal } from "./layers/process/NodeVersion.ts"

const refusal = nodeRefusal(process.version)
if (refusal === undefined) {
  const { keepCompiled } = await import("./layers/process/CompileCache.ts")
  keepCompiled()
  await import("./service.ts")
} else {
  process.stderr.write(`${refusal}\n`)
  process.exitCode = 1
}
