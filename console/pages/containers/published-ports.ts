// Ports as people write them, `8081:80, 5353:53/udp`, in the engine's words.

interface Ports {
  ExposedPorts: Record<string, object>
  PortBindings: Record<string, { HostPort: string }[]>
}

const shape = /^(\d{1,5}):(\d{1,5})(?:\/(tcp|udp))?$/
const maxPort = 65_535

export function portsOf(text: string): Ports {
  const ports: Ports = { ExposedPorts: {}, PortBindings: {} }
  for (const pair of text.split(/[\s,]+/).filter((one) => one !== '')) {
    const [, host = '', inside = '', protocol = 'tcp'] = shape.exec(pair) ?? []
    const isPort = (port: string): boolean => Number(port) > 0 && Number(port) <= maxPort
    if (!isPort(host) || !isPort(inside)) throw new Error(`${pair} is no pair of ports: write them as 8081:80.`)
    const key = `${Number(inside)}/${protocol}`
    ports.ExposedPorts[key] = {}
    ports.PortBindings[key] = [...(ports.PortBindings[key] ?? []), { HostPort: String(Number(host)) }]
  }
  return ports
}
