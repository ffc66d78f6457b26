const kinds: Record<string, string> = { running: 'good', ready: 'good', complete: 'good', dead: 'bad', failed: 'bad' }

export const StateTag = ({ state }: { state: string }) => <span className={`tag ${kinds[state] ?? ''}`}>{state}</span>
