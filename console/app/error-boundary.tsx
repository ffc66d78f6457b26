import { Component, type ReactNode } from 'react'
import { Failure } from '../parts/failure.tsx'

/** A page that fails leaves the rest of the console usable. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return <Failure error={error} again={() => this.setState({ error: undefined })} />
  }
}
