import { timeText } from './texts.ts'

export const Time = ({ seconds }: { seconds: number | null }) => <span className="time">{timeText(seconds)}</span>
