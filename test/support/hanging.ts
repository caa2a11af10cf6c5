/** A process that takes what it is asked and never answers. */
process.on("message", () => {})
setInterval(() => {}, 60_000)
process.send?.("ready")
