// What a node of the benchmark of vectors is asked by its parent, and says.
export interface NodeQuestion {
  id: number
  collection: string
  vector: number[]
  text: string
}

export type NodeAnswer = { id: number; ms: number } & ({ found: string[] } | { problem: string })
