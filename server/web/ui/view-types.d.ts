// Types that the page's own modules share: the services for views, a view, and the content of a board.
// For the type checker only: this file is not served.

import type { Point, Size, Stone, Weight } from './protocol-types';

/** The services for views. */
export type App = {
  connection: import('../browser/page-connection.js').PageConnection;
  /** Shows another page of ours. */
  go: (path: string) => void;
  /** Announces a text to screen readers; urgent: at once. */
  announce: (text: string, urgent?: boolean) => void;
  /** Shows a message for some seconds; silent: not to screen readers. */
  toast: (text: string, silent?: boolean) => void;
  /** Shows that the server was restored from a backup without this many of the last moves. */
  restored: (moves: number) => void;
  /** Shows why something failed. */
  showError: (error: unknown) => void;
  /** Copies an address. */
  copy: (url: string) => void;
  /** Shares an address, or copies it where the browser cannot share. */
  share: (url: string) => void;
  /** Sets the tab's title and icon. */
  tab: (title: string, turn?: Stone | 'yours') => void;
  /** The player's seeks; loads them at first. */
  seeks: () => Promise<import('../lobby/seeks.js').Seeks>;
  /** Says that the connection is lost. */
  lost: HTMLElement;
  /** The bar above every view. */
  bar: HTMLElement;
  /** Cards that ask the player something on any page. */
  asks: HTMLElement;
  /** Shows a notification of the browser if the player does not see the tab; a press on it leads to the path. */
  notify: (text: string, path?: string) => void;
  /** Opens a dialog. */
  open: (dialog: 'settings' | 'you') => void;
  /** Opens the dialog of another person. */
  openPerson: (person: { member: string; name: string }, context?: PersonContext) => void;
};
/** Where a person was met, for a report; `opposed`: in a running game, in which nobody challenges the other. */
export type PersonContext = { room?: string; game?: string; line?: { number: number; text: string }; opposed?: boolean };
/** A view fills an element and returns its cleanup. */
export type View = (app: App, place: HTMLElement, argument: string) => () => void;

/** What a board shows. */
export type Shown = {
  size: Size;
  /** The moves, Black's first. */
  moves: readonly Point[];
  /** The points of the winning line. */
  winning?: readonly Point[];
  /** Where Black may not play. */
  forbidden?: readonly Point[];
  /** The stone to place next; none if this player may not play. */
  turn?: Stone;
  /** Weights to draw as a heat map. */
  weights?: readonly Weight[];
  /** The engine's line, drawn as numbered ghosts from the next move on. */
  line?: readonly Point[];
  /** Of the weights, only that of this point. */
  only?: Point | null;
  /** The engine's choices, the best first, each with a few characters. */
  best?: readonly { point: Point; label: string }[];
  /** The stone of a player who waits for their turn and may premove. */
  waiting?: Stone;
  /** Whether stones carry their numbers, whatever the settings say. */
  numbered?: boolean;
  /** Whether the last move has no mark. */
  unmarked?: boolean;
  /** Paints more marks on the board. */
  paint?: import('../board/board-canvas.js').Scene['paint'];
  /** More words about a free point, for screen readers. */
  note?: (point: Point) => string | undefined;
};
