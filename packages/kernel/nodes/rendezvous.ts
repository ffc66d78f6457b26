// Deals things to nodes so that everybody who knows the nodes comes to the same, and little moves when one comes or goes.
import { hash } from 'node:crypto'

const weightBytes = 6

/** All nodes, the one that `thing` belongs to first; what one leaves behind goes to the next. */
export function ranked<Node extends { address: string }>(thing: string, nodes: readonly Node[]): Node[] {
  const weighed = nodes.map((node) => ({ node, weight: weightOf(`${node.address}\n${thing}`) }))
  weighed.sort((a, b) => b.weight - a.weight || (a.node.address < b.node.address ? -1 : 1))
  return weighed.map(({ node }) => node)
}

const weightOf = (text: string): number => hash('sha256', text, 'buffer').readUIntBE(0, weightBytes)
