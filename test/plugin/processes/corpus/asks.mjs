// Asks for web pages as programs do that know nothing of a proxy, and for tunnels as those do that use https.
import { request } from "node:http"

const told = []
for (const url of JSON.parse(process.argv[2])) {
  const answer = await fetch(url).catch((error) => ({
    status: error.cause?.code ?? error.message,
    text: () => ""
  }))
  told.push([url, answer.status, await answer.text()])
}
for (const path of JSON.parse(process.argv[3])) {
  told.push(
    await new Promise((resolve) => {
      const asked = request({ ...proxy(), method: "CONNECT", path, agent: false })
      asked.on("connect", (answer, socket) => {
        if (answer.statusCode !== 200) return resolve([path, answer.statusCode, ""])
        let text = ""
        socket.on("data", (part) => {
          text += part
        })
        socket.on("end", () => resolve([path, 200, text.split("\r\n\r\n")[1]]))
        socket.write(`GET / HTTP/1.1\r\nhost: ${path}\r\nconnection: close\r\n\r\n`)
      })
      asked.on("error", (error) => resolve([path, error.code, ""]))
      asked.end()
    })
  )
}
process.stdout.write(`${JSON.stringify(told)}\n`)
process.exit()

function proxy() {
  const { hostname, port } = new URL(process.env.HTTPS_PROXY)
  return { host: hostname, port }
}
