"""What every platform must do, and the same asked of each."""
