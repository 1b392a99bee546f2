"""What was measured, held against what the model predicts and against what others need."""
