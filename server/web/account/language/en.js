// The texts of the dialog “You” in English, and with that the list of them.

export const texts = {
  your_name: 'Your name',
  name_how: 'Others see it. You can play without one.',
  save: 'Save',
  other_device: 'Play on another device',
  other_device_how: 'This link gives the other device your seats and games. Do not show it to anybody else.',
  replace_link: 'Replace the link',
  replace_link_how: 'Has somebody else seen the link? Replace it. You keep your name, seats and games, and the old link stops working. Your other devices need the new link.',
  link_replaced: 'Replaced. The old link no longer works.',
  show_link: 'Show the link',
  switch_player: 'Switch to this player?',
  current_player: 'Here you are {name}. Keep this link if you want to switch back to {name}:',
  current_player_link: 'Link to switch back to {name}',
  switch_back: 'Switch back to {name}',
  former_players: 'Players you were on this device:',
  switch_player_how: 'You get the seats and games of the other device. Your seats and games here stay with your current player.',
  yes: 'Yes',
  no: 'No',
};
